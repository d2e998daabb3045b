title                                                                   KEY     
             1             1             0             0
rua                        2             2             0             0
(4I2)           (4I2)           (4F6.2)             
 1 1 1
