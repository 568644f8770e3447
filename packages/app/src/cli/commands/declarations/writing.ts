/** Commands for those who write servers. */

import type { Command } from '../../parse/command.ts'
import { DEV_PORT } from '../../parse/default-ports.ts'
import { SERVING_FLAGS } from '../../parse/serving-flags.ts'

export const WRITING: readonly Command[] = [
  {
    name: 'run',
    about: 'Serve a definition, or a ready-made server by name',
    details:
      'A file is TypeScript or JavaScript whose default export is a server. When a client has started this command, the\n' +
      'server speaks on the standard streams; in a terminal, say where to serve it. Everything after the name is for the\n' +
      'server: `portico run files --help` shows the options of the ready-made server files. On a port, a ready-made server\n' +
      'asks for the token in PORTICO_TOKEN, or for one that is made up and printed.',
    positionals: [
      { name: 'definition', about: 'A file, or the name of a ready-made server.', completes: 'file' },
      { name: 'arguments', about: 'Arguments and options of a ready-made server.', optional: true, rest: true },
    ],
    flags: SERVING_FLAGS,
    examples: [
      { line: 'portico run server.ts --http 3000', about: 'on a port' },
      { line: 'portico run files ~/docs --write --http 3000', about: 'a ready-made server, with its options' },
      { line: '{ "command": "portico", "args": ["run", "/home/me/server.ts"] }', about: 'in a client’s configuration' },
    ],
    passesRest: true,
    load: () => import('../run.ts'),
  },
  {
    name: 'dev',
    about: 'Serve a definition while you edit it',
    details:
      'Clients stay connected: the next call runs what the file says by then, and they are told that the lists changed. An\n' +
      'edit that cannot be loaded is reported, and the last good version goes on. It is served on a port until Ctrl-C or\n' +
      'another signal; started by a client, through a pipe, on the standard streams.',
    positionals: [{ name: 'file', about: 'The definition.', completes: 'file' }],
    flags: {
      ...SERVING_FLAGS,
      http: { ...SERVING_FLAGS.http, fallback: `${DEV_PORT}, unless a client has started it` },
      workbench: { type: 'boolean', about: 'Open the workbench with this server in it.' },
    },
    examples: [
      { line: 'portico dev server.ts', about: `on http://127.0.0.1:${DEV_PORT}/mcp` },
      { line: 'portico dev server.ts --workbench', about: 'with the workbench in the browser' },
    ],
    load: () => import('../dev.ts'),
  },
  {
    name: 'new',
    about: 'Make a folder with a server that runs and has a test',
    positionals: [{ name: 'folder', about: 'Where to; it must be empty or new.' }],
    flags: { name: { type: 'string', value: 'name', about: 'The server’s name.', fallback: 'the folder’s' } },
    examples: [{ line: 'portico new weather', about: 'then: cd weather, npm install, npm test' }],
    load: () => import('../new.ts'),
  },
  {
    name: 'install',
    about: 'Write a server into another program’s configuration',
    details:
      'Shows what would change in the file and asks before it writes; the file as it was is kept beside it. Servers that\n' +
      'the program cannot reach by itself, such as a URL in Claude Desktop, are written as a bridge. Without a server, all\n' +
      'your configured servers are put behind one entry.',
    positionals: [
      {
        name: 'program',
        about: 'claude-desktop, claude-code, cursor, vscode, windsurf or zed.',
        completes: ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'windsurf', 'zed'],
      },
      {
        name: 'server',
        about: 'A configured name, a URL, a file or a command.',
        optional: true,
        rest: true,
        completes: 'server',
      },
    ],
    flags: {
      name: { type: 'string', value: 'name', about: 'The name of the entry.', fallback: 'made from the server' },
      project: { type: 'boolean', about: 'Into the project’s file here instead of your own.' },
      remove: { type: 'boolean', about: 'Take the entry with that name out again.' },
      yes: { type: 'boolean', short: 'y', about: 'Write without asking.' },
    },
    examples: [
      { line: 'portico install claude-desktop server.ts', about: 'a definition of yours' },
      { line: 'portico install cursor https://mcp.example.com/mcp', about: 'a remote server' },
      { line: 'portico install claude-code', about: 'everything that Portico has, as one server' },
    ],
    load: () => import('../install.ts'),
  },
  {
    name: 'record',
    about: 'Record a session with a server into a file',
    details:
      'Stands between a client and the server and writes down every message. Name it in the client’s configuration in\n' +
      'place of the server, serve it on a port, or give the calls to make with `--call`. The file can hold whatever passes:\n' +
      'it is readable for you alone. `portico replay` answers from it.',
    positionals: [
      { name: 'file', about: 'The recording; it must not be there yet.', completes: 'file' },
      { name: 'server', about: 'A configured name, a URL, a file or a command.', rest: true, completes: 'server' },
    ],
    flags: {
      call: { type: 'string', multiple: true, value: 'tool {json}', about: 'Make this call, and end after the last.' },
      header: { type: 'string', multiple: true, value: 'name: value', about: 'A header for every request to a URL.' },
      env: {
        type: 'string',
        multiple: true,
        value: 'name[=value]',
        about: 'A variable for the program to be started.',
      },
      ...SERVING_FLAGS,
    },
    examples: [
      {
        line: `portico record s.jsonl --call 'echo {"message":"hi"}' -- npx -y @modelcontextprotocol/server-everything`,
        about: 'make calls',
      },
      { line: 'portico record s.jsonl --http 3000 -- node server.js', about: 'for a client that connects to the port' },
    ],
    load: () => import('../record/record.ts'),
  },
  {
    name: 'replay',
    about: 'Serve a recording: the same calls get the same answers',
    positionals: [{ name: 'file', about: 'The recording.', completes: 'file' }],
    flags: SERVING_FLAGS,
    examples: [{ line: 'portico replay s.jsonl --http 3000', about: 'on a port' }],
    load: () => import('../record/replay.ts'),
  },
]
