title                                                                   key     
             2             1             1             0
pua                    20000             2             2             0
(10I6)          (10I6)                              
     1     2     3
     1 123