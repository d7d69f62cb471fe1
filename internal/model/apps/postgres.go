package apps

import "github.com/loadline/loadline/internal/model"

// Postgres is PostgreSQL, loaded by pgbench.
var Postgres = App{Kind: model.Postgres, Title: "PostgreSQL", Tool: "pgbench"}
