# find_package(spress) for programs that link the library.
