//: include strays r
DELETE r
RETURN count(*) AS done
