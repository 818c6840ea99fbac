#!/bin/bash
# Which kernels wait in a loop for memory that others write (polls_...), and which have loops that end by themselves (ends_...): of the
# source, and of PoCL's binary of it, in which the compiler has read once what is not volatile (polls_hoisted_...).
set -u
[ -x "$B/clweave-footprint" ] || { echo "no clweave-footprint: LLVM is not installed"; exit 77; }
cat > "$T/polls.cl" <<'END'
kernel void polls_hoisted_plain(global int*o){ while(o[0]==0) o[5]++; o[1]=2; }
kernel void polls_abortq(volatile global int*o,int id){int i=get_global_id(0);long n=0;while(o[0]==0&&n<300000000l)n++;if(i==0){o[1]=id;o[2]=o[0];o[3]=n<300000000l;}}
kernel void polls_inf(volatile global int*o,int id){int i=get_global_id(0);long n=0;while(o[0]==0)n++;if(i==0){o[1]=id;o[2]=o[0];o[3]=n<300000000l;}}
kernel void polls_flag(volatile global int*o, global float*x, int n){ bool done=false; while(!done){ if(o[0]) { x[1]=3; done=true; } x[0]+=1; } }
kernel void polls_break(volatile global int*o, global float*x, int n){ for(int i=0;i<n;i++){ if(o[0]) break; x[i]=i; } }
kernel void polls_local(volatile global int*o, global float*x, int n){ local int stop; for(int i=0;;i++){ if(get_local_id(0)==0) stop=o[0]; barrier(CLK_LOCAL_MEM_FENCE); if(stop) break; x[i]=1; barrier(CLK_LOCAL_MEM_FENCE);} }
kernel void polls_atomadd(volatile global int*o, global float*x){ while(atomic_add(o,0)==0) ; x[0]=1; }
kernel void polls_atomor(volatile global int*o, global float*x){ while(!atomic_or(o,0)) ; x[0]=1; }
kernel void polls_cmp(volatile global int*o, global float*x){ while(atomic_cmpxchg(o,1,2)!=1) ; x[0]=1; }
kernel void polls_sum(volatile global int*o, global float*x){ int s=0; while(s<100) s+=o[0]; x[0]=s; }
kernel void polls_ret(volatile global int*o, global float*x, int n){ for(int i=0;i<n;i++){ x[i]=1; if(o[3]==7) return; x[i]=2; } }
int go(volatile global int*o){ return o[0]; }
kernel void polls_fun(volatile global int*o, global float*x, int n){ do { x[0]+=1; } while(!go(o)); }
kernel void polls_switch(volatile global int*o, global float*x, int n){ for(;;){ switch(o[0]){ case 0: continue; case 1: x[0]=1; return; default: x[1]=1; return; } } }
kernel void polls_ring(volatile global int*o, global float*x, int n){ int i=0; while(!o[i&3]) i++; x[0]=i; }
kernel void polls_ctrl(volatile global int*o, global float*x, int n){ for(;;){ if(o[0]==0) continue; x[2]+=1; if(n) break; n++; } }
kernel void polls_hoisted_struct(global int*o, global float*x){ struct {int a,b;} s; do { s.a=o[0]; s.b=o[1]; x[0]+=1; } while(s.a!=s.b); }
kernel void polls_vload(global int*o, global float*x){ int2 s; do { s=vload2(0,o); x[0]+=1; } while(s.x!=s.y); }
kernel void polls_hoisted_int(global int*o, global float*x){ int done=0; do { if(o[0]==3) done=1; x[0]+=1; } while(!done); }
kernel void ends_mm(global float*a,global float*b,global float*c,int n){ float s=0; int i=get_global_id(0),j=get_global_id(1); for(int k=0;k<n;k++) s+=a[i*n+k]*b[k*n+j]; c[i*n+j]=s; }
kernel void ends_csr(global int*r,global float*v,global float*y){ int i=get_global_id(0); float s=0; for(int j=r[i];j<r[i+1];j++) s+=v[j]; y[i]=s; }
kernel void ends_cnt(global int*c,global float*v,global float*y){ int i=get_global_id(0); float s=0; for(int j=0;j<*c;j++) s+=v[j]; y[i]=s; }
kernel void ends_list(global int*next,global float*v,global float*y){ int i=get_global_id(0); float s=0; while(i!=-1){ s+=v[i]; i=next[i]; } y[0]=s; }
kernel void ends_cas(volatile global uint*p, global float*x){ union{uint u; float f;} a,b; do { a.u=*p; b.f=a.f+x[get_global_id(0)]; } while(atomic_cmpxchg(p,a.u,b.u)!=a.u); }
kernel void ends_cas2(volatile global uint*p, global float*x){ uint old=*p, was; do { was=old; old=atomic_cmpxchg(p,was,as_uint(as_float(was)+x[0])); } while(was!=old); }
kernel void ends_queue(volatile global int*head, global float*x, int n){ int i; while((i=atomic_inc(head))<n) x[i]=1; }
kernel void ends_own(global float*e){ int i=get_global_id(0); while(e[i]>1e-3f) e[i]*=0.5f; }
kernel void ends_bin(global int*a,global int*y,int n){ int lo=0,hi=n,k=get_global_id(0); while(lo<hi){int m=(lo+hi)/2; if(a[m]<k) lo=m+1; else hi=m;} y[k]=lo; }
kernel void ends_bvh(global int4*node,global float*y){ int n=0; while(n>=0){ int4 q=node[n]; if(q.w>3) { y[0]+=q.x; n=q.y; } else n=q.z; } }
kernel void ends_red(global float*a, local float*s, global float*o){ int l=get_local_id(0); s[l]=a[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE); for(int k=get_local_size(0)/2;k>0;k>>=1){ if(l<k) s[l]+=s[l+k]; barrier(CLK_LOCAL_MEM_FENCE);} if(!l) o[get_group_id(0)]=s[0]; }
kernel void ends_swap(local int*s, global int*a){ local int changed; int v=a[get_local_id(0)]; do { barrier(CLK_LOCAL_MEM_FENCE); changed=0; barrier(CLK_LOCAL_MEM_FENCE); if(v>s[0]) { s[0]=v; changed=1; } barrier(CLK_LOCAL_MEM_FENCE);} while(changed); }
kernel void ends_hash(global uint*t, global uint*k, uint n){ uint h=k[get_global_id(0)]%n; while(atomic_cmpxchg(&t[h],0,1)!=0) h=(h+1)%n; }
kernel void ends_mandel(global int*o,int n){ float x=0,y=0; int i=0; while(x*x+y*y<4 && i<n){ float t=x*x-y*y; y=2*x*y; x=t; i++; } o[get_global_id(0)]=i; }
kernel void ends_mode(constant int*m, global float*a, int n){ float s=0; for(int i=0;i<n;i++){ if(m[0]==1) s+=a[i]; else s-=a[i]; if(s>10) break; } a[0]=s; }
END
# look FILE : each kernel is what its name says
look() {
    "$B/clweave-footprint" --models "$1" > "$T/models" || { cat "$T/models"; return 1; }
    grep -o '"kernel":"[a-z0-9_]*"\|"polls":[a-z]*' "$T/models" | paste -d ' ' - - | tr -d '"' > "$T/found"
    [ "$1" = "$T/polls.cl" ] || sed -i 's/\(polls_hoisted.*\)false/\1true/' "$T/found"
    grep -v 'kernel:polls_[a-z0-9_]* polls:true\|kernel:ends_[a-z0-9_]* polls:false' "$T/found" && return 1
    [ "$(wc -l < "$T/found")" = "$(grep -c '^kernel' "$T/polls.cl")" ] || { echo "not all kernels"; return 1; }
}
bad=0
look "$T/polls.cl" || bad=1
"$B/test/footprint/to_binary" "$T/polls.cl" "$T/polls" "" 2> /dev/null && head -c 7 "$T/polls" | grep -q poclbin || exit $bad
look "$T/polls" || { echo "by the binary"; bad=1; }
exit $bad
