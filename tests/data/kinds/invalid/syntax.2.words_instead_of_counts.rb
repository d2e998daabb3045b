title                                                                   KEY     
three words here too
rua                        3             2             3             0
(3I2)           (3I2)           (3F6.2)             
 1 3 4
 1 2 3
  1.00  2.00  3.00
