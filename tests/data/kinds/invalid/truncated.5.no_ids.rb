title                                                                   KEY     
             3             1             1             1
rua                        3             2             3             0
(3I2)           (3I2)           (3F6.2)             
 1 3 4
