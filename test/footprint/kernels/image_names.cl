/* Types of the program's whose names begin as those of images do. */
typedef struct {
    int width, height;
} image_info;
typedef float image_value;

kernel void named(global image_value *out, constant image_info *info, image_value by, image_info limits) {
    int x = get_global_id(0);
    if (x < info->width && x < limits.height)
        out[x] *= by;
}
