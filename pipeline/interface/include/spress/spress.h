/* The C interface of spress: read sparse matrices, analyse and reorder them, encode them in compact formats, multiply,
 * and write them. C++ programs include <spress/spress.hpp>, which wraps this header.
 *
 * Two kinds of objects are handed out, both owned by the caller.
 *
 * spress_csr: a matrix as CSR, with row pointers, column ids and values. Files are read into it, and formats encoded
 * from it.
 *
 * spress_matrix: an encoded matrix, in one of the formats of spress_list("formats"). It multiplies.
 *
 * A null pointer may be freed. Freeing an object twice is undefined.
 *
 * Errors. Every function that can fail returns a status. Where it is not SPRESS_OK, nothing was handed out, no output
 * file was left behind, and spress_last_error() says in one sentence what is wrong and what would be right.
 *
 * Threads. An object may be used by several threads at once, with two exceptions: no thread frees it or copies it to a
 * device meanwhile, and products on a device take turns. Products run on OpenMP's threads. After a fork, parent and
 * child both multiply on, the child on the CPU alone.
 *
 * Output. Nothing here writes to standard output or standard error, or ends the program. OpenMP does both where a limit
 * of the system (ulimit -u, ulimit -v) leaves it no room for a thread; spress_set_threads(1) needs none.
 *
 * Text that is handed out as char** is freed by spress_free_text(). All text is UTF-8 as far as its source is.
 */
#ifndef SPRESS_H
#define SPRESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(SPRESS_BUILDS_LIBRARY) && defined(__GNUC__)
#define SPRESS_API __attribute__((visibility("default")))
#else
#define SPRESS_API
#endif

typedef enum spress_result {
  SPRESS_OK = 0,
  SPRESS_USAGE,             /* an argument, option or name does not exist or does not fit */
  SPRESS_NOT_FOUND,         /* no such file */
  SPRESS_UNREADABLE,        /* the file is there, but cannot be read */
  SPRESS_UNWRITABLE,        /* the file cannot be written: no permission, full disk */
  SPRESS_SYNTAX,            /* text that does not follow its format */
  SPRESS_OUT_OF_RANGE,      /* an index, offset or size outside its bounds */
  SPRESS_TRUNCATED,         /* the file ends too early */
  SPRESS_DAMAGED,           /* a checksum or a rule does not hold */
  SPRESS_NOT_REPRESENTABLE, /* a number that the value type cannot hold exactly */
  SPRESS_NOT_APPLICABLE,    /* the operation has no meaning for this matrix */
  SPRESS_UNSUPPORTED,       /* this build or version does not handle it */
  SPRESS_TOO_LARGE          /* ids need more than 32 bits, or memory is too small */
} spress_result;

/* Types of array elements. */
typedef enum spress_type {
  SPRESS_NONE = 0, /* no values: a pattern, every entry of which counts as 1 */
  SPRESS_INT32,    /* of positions and ids, none of which is negative */
  SPRESS_INT64,
  SPRESS_FLOAT, /* of values */
  SPRESS_DOUBLE,
  SPRESS_COMPLEX /* pairs of doubles */
} spress_type;

typedef struct spress_csr spress_csr;
typedef struct spress_matrix spress_matrix;

/* ---- General ---- */

/* "0.1.0". */
SPRESS_API const char* spress_version(void);
/* The error of the last call of this thread that failed; valid until the next call that fails. */
SPRESS_API const char* spress_last_error(void);
SPRESS_API void spress_free_text(char* text);
/* The number of OpenMP threads that calls of this thread use from now on; 0: as many as there are
 * processors. At most 64, or as many as there are processors where these are more. */
SPRESS_API void spress_set_threads(int threads);
/* A table as JSON: what = "formats", "orderings", "gallery" or "files".
 * Errors: SPRESS_USAGE. */
SPRESS_API spress_result spress_list(const char* what, char** json);

/* ---- CSR ---- */

/* The arrays of a matrix.
 *   row_ptr: rows + 1, SPRESS_INT32 or SPRESS_INT64, from 0 to nnz, ascending
 *   col_idx: nnz, SPRESS_INT32 or SPRESS_INT64, 0 to cols - 1
 *   values:  nnz, of values_type; null for SPRESS_NONE */
typedef struct spress_arrays {
  int64_t rows, cols, nnz;
  const void* row_ptr;
  const void* col_idx;
  const void* values;
  spress_type row_ptr_type, col_idx_type, values_type;
} spress_arrays;

/* Facts that the source of a matrix states. Text is valid as long as the matrix. */
typedef struct spress_csr_info {
  const char* name;
  const char* field;      /* "real", "integer", "complex" or "pattern" */
  const char* symmetry;   /* "general", "symmetric", "skew-symmetric" or "hermitian", as declared */
  const char* comments;   /* lines that begin with % */
  const char* note;       /* what a user has to know about the reading, or "" */
  int64_t stored_entries; /* in the source, before symmetric expansion */
  int64_t duplicates;     /* that were merged into other entries */
} spress_csr_info;

/* A matrix from arrays of the caller. The arrays have to stay as they are as long as the matrix lives. Column ids and
 * values are not copied where ids have 32 bits and ascend strictly in each row, and neither are row pointers of 32
 * bits. Otherwise the matrix holds a sorted copy, in which duplicates are added up. Errors: SPRESS_USAGE,
 * SPRESS_OUT_OF_RANGE, SPRESS_TOO_LARGE; SPRESS_NOT_REPRESENTABLE where duplicates add up to more than their type
 * holds. */
SPRESS_API spress_result spress_csr_from_arrays(const spress_arrays* arrays, spress_csr** out);

/* Reads a file of any kind that spress_list("files") names, or makes what "gen:NAME,key=value" describes. Entries of
 * symmetric files are expanded, duplicates added up. part: which matrix of a file that holds several, or null;
 * index_base: of a list of edges, 0 or 1, or -1 where the file says it. */
SPRESS_API spress_result spress_csr_read(const char* path, const char* part, int index_base, spress_csr** out);

/* The shape of the matrix in a .spress file. Little else is read. */
SPRESS_API spress_result spress_read_shape(const char* path, int64_t* rows, int64_t* cols, int64_t* nnz);

/* Rows first to last - 1, counted from 0, of a .spress file. Little else is read where it is seekable.
 * Errors: also SPRESS_OUT_OF_RANGE where a row is not there. */
SPRESS_API spress_result spress_csr_read_rows(const char* path, int64_t first, int64_t last, spress_csr** out);

/* Writes a file of the kind that its ending says. A .spress file becomes as small as possible. level: of zstd, 1 to 22,
 * or 0 for the usual one; seekable: not 0 for a .spress file of which rows can be read. Other files take 0 for both.
 * The file appears complete or not at all. */
SPRESS_API spress_result spress_csr_write(const spress_csr* csr, const char* path, int level, int seekable);

/* The arrays of a matrix, valid as long as it lives. Columns ascend strictly within a row. Row pointers have 64 bits
 * where there are more than 2^31 - 1 entries. Where csr is null, sizes are 0 and text is ""; out may not be null. */
SPRESS_API void spress_csr_arrays(const spress_csr* csr, spress_arrays* out);
SPRESS_API void spress_csr_get_info(const spress_csr* csr, spress_csr_info* out);

/* The analysis of a matrix as one JSON record, as `spress analyze` writes it (docs/records.md).
 * formats, orderings: lists with commas, or null for the usual ones. */
SPRESS_API spress_result spress_csr_analyze(const spress_csr* csr, const char* formats, const char* orderings,
                                            char** json);

/* Computes the permutations of an ordering of spress_list("orderings"): perm[new] = old.
 *   row_perm: rows, col_perm: cols */
SPRESS_API spress_result spress_csr_reorder(const spress_csr* csr, const char* ordering, int32_t* row_perm,
                                            int32_t* col_perm);

SPRESS_API void spress_csr_free(spress_csr* csr);

/* ---- Encoded matrices ---- */

typedef struct spress_matrix_info {
  int64_t rows, cols, nnz;
  int64_t bytes;            /* of all arrays, in memory */
  const char* format;       /* with its parameters, as in "sell:c=32,sigma=256" */
  const char* values_store; /* "raw", "narrow", "lut8", "lut16" or "iso" */
  spress_type values_type;
} spress_matrix_info;

/* Encodes a matrix. format: a name with parameters, or "auto"; values_store: a name, or "auto" or null for the smallest
 * that holds the numbers exactly; goal: what "auto" aims at: "memory", "spmv" or "transfer"; null is "memory".
 * Nothing of csr is needed afterwards. Errors: SPRESS_USAGE, SPRESS_NOT_APPLICABLE, SPRESS_TOO_LARGE. */
SPRESS_API spress_result spress_encode(const spress_csr* csr, const char* format, const char* values_store,
                                       const char* goal, spress_matrix** out);

/* y = alpha A x + beta y. x: cols, y: rows; they do not overlap. Where beta is 0, y is not read.
 * Errors: SPRESS_NOT_APPLICABLE where the values of the matrix are of another type than the function. Patterns fit
 * both. */
SPRESS_API spress_result spress_multiply(const spress_matrix* matrix, double alpha, const double* x, double beta,
                                         double* y);
SPRESS_API spress_result spress_multiply_float(const spress_matrix* matrix, float alpha, const float* x, float beta,
                                               float* y);

/* Y = alpha A X + beta Y for `count` vectors. X: cols x count, Y: rows x count. Element (i, k) of X is
 * x[i * x_row_stride + k * x_col_stride], and likewise that of Y; strides may be negative. Requires: the
 * elements of Y have memory of their own. */
SPRESS_API spress_result spress_multiply_block(const spress_matrix* matrix, int64_t count, double alpha,
                                               const double* x, int64_t x_row_stride, int64_t x_col_stride, double beta,
                                               double* y, int64_t y_row_stride, int64_t y_col_stride);
SPRESS_API spress_result spress_multiply_block_float(const spress_matrix* matrix, int64_t count, float alpha,
                                                     const float* x, int64_t x_row_stride, int64_t x_col_stride,
                                                     float beta, float* y, int64_t y_row_stride, int64_t y_col_stride);

/* The transpose in the same format: memory of its own. */
SPRESS_API spress_result spress_transpose(const spress_matrix* matrix, spress_matrix** out);

/* The matrix as it was encoded, bit for bit. */
SPRESS_API spress_result spress_decode(const spress_matrix* matrix, spress_csr** out);

/* Where matrix is null, sizes are 0 and text is ""; out may not be null. */
SPRESS_API void spress_matrix_get_info(const spress_matrix* matrix, spress_matrix_info* out);
/* The bytes of each array as JSON: a list of objects with name, role, type, count, bytes and padding. */
SPRESS_API spress_result spress_breakdown(const spress_matrix* matrix, char** json);

/* Writes the format as it is to a file whose name ends in .spress, and reads one. The file appears complete or not at
 * all. Errors: also SPRESS_USAGE for another ending. */
SPRESS_API spress_result spress_matrix_write(const spress_matrix* matrix, const char* path);
/* Errors: also SPRESS_NOT_APPLICABLE for a .spress file that holds no format; read it by spress_csr_read. */
SPRESS_API spress_result spress_matrix_read(const char* path, spress_matrix** out);

SPRESS_API void spress_matrix_free(spress_matrix* matrix);

/* ---- On a GPU ---- */

/* Copies the matrix to the current CUDA device and makes its products ready there, for every stream. The matrix keeps
 * what is in the host's memory. Errors: SPRESS_UNSUPPORTED without a device, or where this build has no CUDA;
 * SPRESS_TOO_LARGE. */
SPRESS_API spress_result spress_to_device(spress_matrix* matrix);
/* Copies it to the device of a number from 0, whichever is current. A matrix is on one device at a time. */
SPRESS_API spress_result spress_to_device_number(spress_matrix* matrix, int device);

/* Multiplies as spress_multiply does, with vectors in the memory of that device, in the order of a stream (a
 * cudaStream_t; null is the default one). x may be null where there are no columns, and y where there are no rows.
 * Returns before the product is done. The next product of the matrix may begin when it is done, on whatever stream:
 * products share memory for intermediate results. The first product that adds to y or scales takes more of it, which
 * cannot be captured in a CUDA graph. Errors: SPRESS_USAGE before spress_to_device, and where a vector is in the memory
 * of another device. */
SPRESS_API spress_result spress_multiply_on_device(const spress_matrix* matrix, double alpha, const double* x,
                                                   double beta, double* y, void* stream);
SPRESS_API spress_result spress_multiply_on_device_float(const spress_matrix* matrix, float alpha, const float* x,
                                                         float beta, float* y, void* stream);

#ifdef __cplusplus
}
#endif

#endif /* SPRESS_H */
