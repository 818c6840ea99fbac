/* Tests for borders of each kind, for the faults of rows.sh. Parameters: see rows.c. */
kernel void early(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || x < bx + 2 || y >= h) return;
    out[c] = in[c - 1] + in[c + 1];
}
kernel void both(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), y = get_global_id(1);
    if (x > bx + 1 && x <= w - 2 && y > by) out[c] = in[c - p] + in[c + p];
    else out[c] = in[c] * 3.0f;
}
kernel void equal(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), y = get_global_id(1);
    if (x == bx || y == by || x == w - 1 || h - 1 == y) out[c] = in[c];
    else out[c] = 0.25f * (in[c - 1] + in[c + 1] + in[c - p] + in[c + p]);
}
kernel void middle(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    const int x = get_global_id(0);
    if (x != w / 2 && x != bx + 20 && bx + 7 != x) out[c] = 1.0f;
}
kernel void falls(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), left = w - 1 - x;
    if (left < 2 || 3 >= cx) return;
    out[c] = left <= 5 ? 1.0f : 2.0f;
    if (left > 8 && w - x >= 12) out[c] = 3.0f;
}
kernel void narrow(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    uchar x = get_global_id(0);
    short y = get_global_id(0);
    if (x < 200 && y > bx - 300) out[c] = in[c];
    else out[c] = 7.0f;
}
kernel void crosses(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    ulong q = get_global_id(0) - bx - 3;
    if (q > 5) out[c] = in[c];
}
kernel void crosses_uint(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    uint r = get_global_id(0) - bx - 5;
    if (r < u - 2) out[c] += 1.0f;
}
kernel void wraps(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    uchar x = get_global_id(0);
    if (x > 100) out[c] = in[c];
}
kernel void unsure(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), y = get_global_id(1);
    if (x < bx + 1 || y < by + 1 || x >= w - 1 || y >= h - 1 || ((cx + cy) & 1) != 0) return;
    out[c] = 0.25f * (in[c - 1] + in[c + 1] + in[c - p] + in[c + p]);
}
kernel void nested(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), y = get_global_id(1);
    if ((x < w) && (y < h)) {
        int t = x + 1;
        if (y == by) out[c] = in[o];
        else if (t > bx + 3) out[c] -= 0.5 * (in[c] - in[c - p]);
        else out[c] = 0.0f;
    }
}
/* NaNs keep their sign: what a product is subtracted from is the same array. */
kernel void singular(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int x = get_global_id(0), y = get_global_id(1);
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, row = o + (cz * 64 + cy) * p, c = row + cx;
    if ((x < w) && (y < h)) {
        out[c] = out[c] - out[row - 9] * out[o - 2 * p + cx];
    }
}
kernel void clamps(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    float sum = 0.0f;
    if (cx < 0 || cx > 2000) return;
    for (int e = -1; e <= 1; e++)
        for (int d = -1; d <= 1; ++d)
            sum += in[o + clamp(cy + e, 0, h - by - 1) * p + clamp(cx + d, 0, w - bx - 1)];
    out[c] = sum / 9.0f;
}
kernel void clamps_named(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    out[c] = 0.0f;
    for (int d = 2; d < 5; d++) {
        int l = clamp(cx - d, 0, w - bx), r = clamp(d - cx, -40, 5);
        out[c] += in[o + cy * p + l] * 0.3f + in[o + cy * p + r] * in[o + cy * p + clamp(cx, 3, 30)];
    }
}

/* Written as nobody does, but could: what is written in brackets, and what binds less than && and ||. */
kernel void bracketed(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), k = x, m = x, n = x;
    (k) += 5;
    ++((m));
    *(&(n)) = w - x;
    if (k < w) out[c] = in[c];
    if (m > 3) out[c] += in[c + 1];
    if (n > 3) out[c] += in[c + 2];
}
kernel void lessened(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), y = get_global_id(1);
    (w) -= 2;
    if (x < w) out[c] = in[c];
}
kernel void shadowed(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), y = get_global_id(1);
    { int j = 1, (w) = 5; if (x < w) out[c] = in[c] + j; }
}
kernel void chosen(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), y = get_global_id(1);
    if (y > 1 && x > 2 ? in[c] > 300.0f : in[c] < 700.0f) out[c] = in[c + 1];
}
kernel void last_of(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), y = get_global_id(1);
    if (y < 2 || x < 2, in[c] > 500.0f) out[c] = in[c + 1];
}
kernel void either_inside(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), y = get_global_id(1);
    if ((y > 1 && x > 2 || in[c] > 500.0f) && x < w) out[c] = in[c + 1];
}
kernel void else_loop(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 2 || x >= w) out[c] = in[c];
    else for (int d = -1; d <= 1; d++) out[c] += in[c + d];
}
kernel void n0(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx; int x = get_global_id(0), y = get_global_id(1);
    float t = pow((float)(-1 - w), 0.5f);
    if (x < w) out[c] = in[c]*in[c+1] - t;
}
kernel void n1(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx; int x = get_global_id(0), y = get_global_id(1);
    float t = log((float)(-1 - w));
    if (x < w) out[c] = in[c]*in[c+1] - t;
}
kernel void n2(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx; int x = get_global_id(0), y = get_global_id(1);
    
    if (x < w) out[c] = in[c] - log((float)(bx - 300 - by)) * in[c+1];
}
kernel void n3(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx; int x = get_global_id(0), y = get_global_id(1);
    float t = pow((float)(-1 - w), 0.5f);
    if (x < w) out[c] = in[c] * -t + in[c+1];
}
kernel void n4(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx; int x = get_global_id(0), y = get_global_id(1);
    float t = pow((float)(-1 - w), 0.5f); float q = -t;
    if (x < w) out[c] = in[c]*q + in[c+1];
}
kernel void n5(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx; int x = get_global_id(0), y = get_global_id(1);
    float2 t = (float2)(1.0f, pow((float)(-1 - w), 0.5f));
    if (x < w) out[c] = in[c]*in[c+1] - t.y;
}
kernel void n6(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx; int x = get_global_id(0), y = get_global_id(1);
    float z = pow((float)(-1 - w), 0.5f); float k = z + 0 * x;
    if (x < w) out[c] = in[c]*in[c+1] - k;
}
kernel void n7(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx; int x = get_global_id(0), y = get_global_id(1);
    
    if (x < w) out[c] = in[c] - exp2(pow(-1.0f-w,.5f)) * in[c+1];
}
kernel void n8(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx; int x = get_global_id(0), y = get_global_id(1);
    float t = fmod((float)w, (float)(by >> 30));
    if (x < w) out[c] = in[c]*in[c+1] - t;
}
kernel void n9(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz) {
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz;
    int c = o + (cz * 64 + cy) * p + cx; int x = get_global_id(0), y = get_global_id(1);
    
    if (x < w) out[c] = in[c] - (float)bz/(float)by * in[c+1];
}
/* A number that is no const must not become one: compilers would round the product by itself. */
kernel void numbers(global const float *in, global float *out, int w, int h, uint u, long g, short s, int p, int o,
    int bx, int by, int bz)
{
    int cx = get_global_id(0) - bx, cy = get_global_id(1) - by, cz = get_global_id(2) - bz, c = o + (cz * 64 + cy) * p + cx;
    int x = get_global_id(0), k = 3;
    if (x < w) out[c] = (k * 0.1f - 0.3f) * in[c];
}
