0 1

a b
