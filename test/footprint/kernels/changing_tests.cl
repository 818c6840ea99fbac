/* Loops whose tests compare a counter with what is another value in each iteration: the first iteration that fails is not known
 * from one of them. */

kernel void while_equal(global const int *x, global int *y)
{
    int i = 0;
    while (i < 1000 && x[i] == i) {
        y[i] += i + 7;
        i++;
    }
}

kernel void until_equal(global const int *x, global int *y)
{
    int i = 0;
    while (i != ((x[i] + 1) & 7)) {
        y[i] += i * 3 + 7;
        i++;
        if (i > 50)
            break;
    }
}

/* Where the access is, the value is below 5; where the loop ends it need not be. */
kernel void guarded(global const int *x, global int *y)
{
    int j = 0, o;
    do {
        o = x[j];
        if (o < 5)
            y[j] += 7;
        j++;
    } while (j < o + 10);
}

kernel void inner_counter(global int *y, int n)
{
    int k = 0, j;
    do {
        for (j = 0; j < n; j++)
            if (j < 3)
                y[k * 16 + j] += 1;
        k++;
    } while (k < j);
}
