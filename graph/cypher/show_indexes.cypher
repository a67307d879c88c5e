SHOW INDEXES YIELD name, type, entityType, labelsOrTypes, properties, state, owningConstraint
RETURN name, type, entityType AS entity, labelsOrTypes AS names, properties, state,
       owningConstraint IS NOT NULL AS owned
