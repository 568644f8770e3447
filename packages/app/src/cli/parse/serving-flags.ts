/** Where a server is to be served, as flags: apart from the serving, so that help needs none of it. */

import type { Command } from './command.ts'

export const SERVING_FLAGS = {
  http: { type: 'number', value: 'port', about: 'Serve over HTTP on this port; 0 takes any that is free.' },
  websocket: { type: 'number', value: 'port', about: 'Serve over WebSocket on this port.' },
  socket: {
    type: 'string',
    value: 'path|port',
    about: 'Serve on a Unix socket, a named pipe or a TCP port of this machine.',
  },
  host: { type: 'string', value: 'address', about: 'The address to listen on.', fallback: '127.0.0.1' },
  'allow-host': { type: 'string', value: 'name', multiple: true, about: 'A name under which clients may reach it.' },
  stdio: { type: 'boolean', about: 'Serve on the standard streams, even in a terminal.' },
} as const satisfies Command['flags']
