SHOW CONSTRAINTS YIELD type, labelsOrTypes, properties
RETURN type, labelsOrTypes AS names, properties
