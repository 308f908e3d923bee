// FixedCollections
