SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, state
RETURN name, type, entityType AS entity, labelsOrTypes AS names, properties, state
