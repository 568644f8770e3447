/** The openapi server as it is listed and started by name. */

import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, listValue, STRUCTURED, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'openapi',
  about: 'Use any service that has an OpenAPI 3 description; reads only until told otherwise',
  positional: 'description',
  options: {
    description: { type: 'string', about: 'Path or address of the description, JSON or YAML' },
    operations: {
      type: 'string',
      multiple: true,
      about: 'In place of a description: calls, such as "find: GET /pets?limit=10 # Finds pets"',
    },
    baseUrl: { type: 'string', about: 'Where the service is', fallback: 'the first server of the description' },
    serverVariables: { type: 'string', multiple: true, about: 'name=value for variables of the server’s address' },
    include: {
      type: 'string',
      multiple: true,
      about: 'Operations to offer: listPets, list*, tag:pets, method:POST, path:/pets/*',
      fallback: 'all',
    },
    exclude: { type: 'string', multiple: true, about: 'Operations not to offer, by the same patterns' },
    write: { type: 'boolean', about: 'Offer operations that change something; each is asked about', fallback: 'false' },
    allowUnasked: { type: 'boolean', about: 'Send changes for clients that cannot ask their user', fallback: 'false' },
    bearerEnv: { type: 'string', about: 'Name of the variable that holds a bearer token' },
    apiKeyEnv: { type: 'string', about: 'Name of the variable that holds an API key' },
    apiKeyHeader: { type: 'string', about: 'Header of the key if the description names none', fallback: 'x-api-key' },
    basicEnv: { type: 'string', about: 'Name of the variable that holds user:password' },
    headersEnv: { type: 'string', multiple: true, about: 'Header-Name=VARIABLE, sent with every request' },
    oauthClientIdEnv: { type: 'string', about: 'Name of the variable that holds the OAuth client’s id' },
    oauthClientSecretEnv: { type: 'string', about: 'Name of the variable that holds its secret' },
    oauthTokenUrl: { type: 'string', about: 'Where tokens are got', fallback: 'the description’s, on the same origin' },
    oauthScopes: { type: 'string', multiple: true, about: 'Scopes to ask for' },
    maxTools: { type: 'number', about: 'Operations up to which each is a tool; above, search', fallback: '50' },
    readsAsResources: { type: 'boolean', about: 'Offer GETs without arguments as resources too', fallback: 'false' },
    maxResponseBytes: { type: 'number', about: 'Bytes of one answer, unpacked', fallback: '1000000' },
    maxDescriptionBytes: { type: 'number', about: 'Bytes of the description', fallback: '20000000' },
    timeoutMs: { type: 'number', about: 'How long one request may take', fallback: '30000' },
    allowPrivate: { type: 'string', multiple: true, about: 'host:port on a private address that may be reached' },
    structured: STRUCTURED,
  },
  async create(values) {
    const { createOpenapiServer } = await import('./server.ts')
    return createOpenapiServer({
      description: textValue(values, 'description'),
      operations: listValue(values, 'operations'),
      baseUrl: textValue(values, 'baseUrl'),
      serverVariables: listValue(values, 'serverVariables'),
      include: listValue(values, 'include'),
      exclude: listValue(values, 'exclude'),
      write: flagValue(values, 'write'),
      allowUnasked: flagValue(values, 'allowUnasked'),
      bearerEnv: textValue(values, 'bearerEnv'),
      apiKeyEnv: textValue(values, 'apiKeyEnv'),
      apiKeyHeader: textValue(values, 'apiKeyHeader'),
      basicEnv: textValue(values, 'basicEnv'),
      headersEnv: listValue(values, 'headersEnv'),
      oauthClientIdEnv: textValue(values, 'oauthClientIdEnv'),
      oauthClientSecretEnv: textValue(values, 'oauthClientSecretEnv'),
      oauthTokenUrl: textValue(values, 'oauthTokenUrl'),
      oauthScopes: listValue(values, 'oauthScopes'),
      maxTools: countValue(values, 'maxTools'),
      readsAsResources: flagValue(values, 'readsAsResources'),
      maxResponseBytes: countValue(values, 'maxResponseBytes'),
      maxDescriptionBytes: countValue(values, 'maxDescriptionBytes'),
      timeoutMs: countValue(values, 'timeoutMs'),
      allowPrivate: listValue(values, 'allowPrivate'),
      structured: flagValue(values, 'structured'),
    })
  },
}
