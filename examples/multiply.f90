! Makes a matrix, encodes it, and multiplies: y = A x.
program multiply
  use iso_c_binding
  implicit none
  interface
    function spress_csr_read(path, part, index_base, csr) bind(c) result(code)
      import :: c_char, c_ptr, c_int
      character(kind=c_char), intent(in) :: path(*)
      type(c_ptr), value :: part
      integer(c_int), value :: index_base
      type(c_ptr), intent(out) :: csr
      integer(c_int) :: code
    end function
    function spress_encode(csr, format, values_store, goal, matrix) bind(c) result(code)
      import :: c_char, c_ptr, c_int
      type(c_ptr), value :: csr, values_store, goal
      character(kind=c_char), intent(in) :: format(*)
      type(c_ptr), intent(out) :: matrix
      integer(c_int) :: code
    end function
    function spress_multiply(matrix, alpha, x, beta, y) bind(c) result(code)
      import :: c_ptr, c_int, c_double
      type(c_ptr), value :: matrix
      real(c_double), value :: alpha, beta
      real(c_double), intent(in) :: x(*)
      real(c_double), intent(inout) :: y(*)
      integer(c_int) :: code
    end function
  end interface
  type(c_ptr) :: csr, matrix
  real(c_double) :: x(10000), y(10000)

  if (spress_csr_read("gen:poisson2d,nx=100,ny=100" // c_null_char, c_null_ptr, -1, csr) /= 0) stop 1
  if (spress_encode(csr, "slice-delta" // c_null_char, c_null_ptr, c_null_ptr, matrix) /= 0) stop 1
  x = 1
  if (spress_multiply(matrix, 1d0, x, 0d0, y) /= 0) stop 1
  print '(a, f4.1)', "y(1) is ", y(1)
end program
