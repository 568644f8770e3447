using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [ (name = "main", worker = .worker) ],
  sockets = [ (name = "http", address = "127.0.0.1:0", http = (), service = "main") ],
);

const worker :Workerd.Worker = (
  modules = [ (name = "worker", esModule = embed "worker-durable.mjs") ],
  compatibilityDate = "2026-07-28",
  compatibilityFlags = ["enable_request_signal", "request_signal_passthrough"],
  durableObjectNamespaces = [ (className = "McpObject", uniqueKey = "mcp", preventEviction = true) ],
  durableObjectStorage = (inMemory = void),
  bindings = [ (name = "MCP", durableObjectNamespace = "McpObject") ],
);
