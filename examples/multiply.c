/* Reads a matrix, encodes it for quick products, and multiplies: y = A x. Usage: multiply FILE */
#include <spress/spress.h>
#include <stdio.h>
#include <stdlib.h>

static void check(spress_result result) {
  if (result == SPRESS_OK) return;
  fprintf(stderr, "%s\n", spress_last_error());
  exit(1);
}

int main(int argc, char** argv) {
  spress_csr* csr;
  spress_matrix* matrix;
  spress_matrix_info info;
  check(spress_csr_read(argc > 1 ? argv[1] : "gen:poisson2d,nx=100,ny=100", NULL, -1, &csr));
  check(spress_encode(csr, "auto", NULL, "spmv", &matrix));
  spress_csr_free(csr);
  spress_matrix_get_info(matrix, &info);
  printf("%lld x %lld, %lld bytes as %s\n", (long long)info.rows, (long long)info.cols, (long long)info.bytes,
         info.format);

  double* x = malloc((size_t)info.cols * sizeof *x);
  double* y = malloc((size_t)info.rows * sizeof *y);
  if (x == NULL || y == NULL) return 1;
  for (long long i = 0; i < info.cols; ++i) x[i] = 1;
  check(spress_multiply(matrix, 1, x, 0, y));
  printf("y[0] is %g\n", info.rows > 0 ? y[0] : 0);

  free(x);
  free(y);
  spress_matrix_free(matrix);
  return 0;
}
