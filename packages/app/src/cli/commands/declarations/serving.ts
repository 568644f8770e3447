/** Commands that stay: the workbench, the gateway, the bridge. */

import type { Command } from '../../parse/command.ts'
import { CHAT_BOT_PORT, GATEWAY_PORT, WORKBENCH_PORT } from '../../parse/default-ports.ts'
import { SERVING_FLAGS } from '../../parse/serving-flags.ts'

export const SERVING: readonly Command[] = [
  {
    name: 'start',
    about: 'Open the workbench in the browser',
    details: 'What `portico` does by itself. The link that it prints works once; start it again for another.',
    positionals: [],
    flags: {
      port: {
        type: 'number',
        value: 'port',
        about: 'The port to listen on.',
        fallback: `${WORKBENCH_PORT}, else any that is free`,
      },
      open: {
        type: 'boolean',
        about: 'Open the browser (`--no-open`: only print the link).',
        fallback: 'in a terminal',
      },
      config: {
        type: 'string',
        value: 'file',
        about: 'A configuration file in place of the usual ones (./portico.json and your own).',
      },
    },
    examples: [{ line: 'portico start --no-open', about: 'print the link' }],
    load: () => import('../start.ts'),
  },
  {
    name: 'host',
    about: 'Run the host beside an editor, on the standard streams',
    details:
      'Editors start this command themselves: the plugin for Neovim and the extension for VS Code speak with it in JSON-RPC, one\n' +
      'message on a line. Nothing is started before the editor has said `initialize`; what a person has to decide is put to\n' +
      'them in the editor, and all ends with it. Any other program can do the same: the protocol is in the guide. With `--install`,\n' +
      'the plugin that comes with this package is written where Neovim looks for it, or as the file that VS Code installs.',
    positionals: [],
    flags: {
      config: {
        type: 'string',
        value: 'file',
        about: 'A configuration file in place of the usual ones (./portico.json and your own).',
      },
      install: {
        type: 'string',
        value: 'editor',
        choices: ['neovim', 'vscode'],
        about: 'Write the plugin for this editor, after a yes, and run nothing.',
      },
      to: { type: 'string', value: 'folder', about: 'With --install: where to, in place of where the editor looks.' },
      yes: { type: 'boolean', short: 'y', about: 'With --install: write without asking.' },
    },
    examples: [
      { line: 'portico host', about: 'what an editor runs, in the folder that is open in it' },
      { line: 'portico host --install neovim', about: 'the plugin, where Neovim looks for it' },
      { line: 'portico host --install vscode', about: 'the extension, as a file for `code --install-extension`' },
    ],
    load: () => import('../host.ts'),
  },
  {
    name: 'worker',
    about: 'Run the tasks of a definition, without serving it',
    details:
      'Loads the same file as `portico run` and listens to nobody: it takes tasks from the store that the definition gives to\n' +
      '`createTasks`, or from its queue, until Ctrl-C or SIGTERM. The store has to be one that processes share: SQLite, Redis\n' +
      'or PostgreSQL. The definition finds PORTICO_WORKER=1 in the environment.',
    positionals: [{ name: 'definition', about: 'A file whose default export is a server.', completes: 'file' }],
    flags: {},
    examples: [{ line: 'portico worker server.ts', about: 'beside `portico run server.ts --http 3000`' }],
    load: () => import('../worker.ts'),
  },
  {
    name: 'serve',
    about: 'Run the gateway: all your servers as one, for others',
    details:
      'Serves the configured servers on one port, to clients of every revision, under the rules of `policy` and the section\n' +
      '`gateway` of portico.json. Whoever is not identified is turned away, unless the section says otherwise. Changes to\n' +
      'the file take effect without dropping calls; SIGTERM or SIGHUP lets calls finish. Health is at /healthz and /readyz.',
    positionals: [
      {
        name: 'config',
        about: 'The configuration file; the usual ones unless given.',
        optional: true,
        completes: 'file',
      },
    ],
    flags: {
      port: { type: 'number', value: 'port', about: 'The port to listen on.', fallback: `${GATEWAY_PORT}` },
      host: { type: 'string', value: 'address', about: 'The address to listen on.', fallback: '127.0.0.1' },
      'allow-host': {
        type: 'string',
        value: 'name',
        multiple: true,
        about: 'A name under which clients may reach it.',
      },
      'tls-cert': { type: 'string', value: 'file', about: 'The certificate, in PEM.' },
      'tls-key': { type: 'string', value: 'file', about: 'Its private key.' },
      'client-ca': { type: 'string', value: 'file', about: 'The authority whose client certificates are accepted.' },
      auth: {
        type: 'string',
        value: 'way',
        choices: ['oauth', 'token', 'certificate', 'none'],
        about: 'How callers are identified.',
        fallback: 'as the file says',
      },
      issuer: { type: 'string', value: 'url', about: 'For oauth: whose access tokens are accepted.' },
      resource: { type: 'string', value: 'url', about: 'For oauth: the URL under which clients know the gateway.' },
      workers: {
        type: 'number',
        value: 'count',
        about: 'Serve from so many processes that share the port, for all cores of the machine.',
      },
      stdio: { type: 'boolean', about: 'Serve the program that started this command, on the standard streams.' },
      check: { type: 'boolean', about: 'Only read the configuration and say what is wrong with it.' },
    },
    examples: [
      { line: 'portico serve portico.json --issuer https://login.example.com', about: 'for people who sign in' },
      { line: 'PORTICO_TOKEN=… portico serve --auth token', about: 'for whoever has the token' },
      { line: 'portico serve --stdio', about: 'in a client’s configuration: everything as one server' },
    ],
    load: () => import('../gateway/serve.ts'),
  },
  {
    name: 'status',
    about: 'Show the gateways that share one state',
    details:
      'Reads the section `gateway.state` of the file and shows the database, every gateway that serves from it, the sessions\n' +
      'and calls that each has, and when it last said that it is there.',
    positionals: [
      {
        name: 'config',
        about: 'The configuration file; the usual ones unless given.',
        optional: true,
        completes: 'file',
      },
    ],
    flags: {},
    examples: [{ line: 'portico status portico.json --json', about: 'for programs' }],
    load: () => import('../gateway/status.ts'),
  },
  {
    name: 'bridge',
    about: 'Make a remote server local, or a local one remote',
    details:
      'To be named in other programs’ configuration files. A client that only starts programs gets a server behind a URL,\n' +
      'with sign-in in the browser; a client that only knows URLs gets a program. Whatever revision either side speaks,\n' +
      'nothing is dropped. On a port, callers must bring the token in PORTICO_TOKEN (one is made up and printed where it\n' +
      'is not set), or one of an issuer’s.',
    positionals: [
      { name: 'server', about: 'A URL, a configured name, a file or a command.', rest: true, completes: 'server' },
    ],
    flags: {
      ...SERVING_FLAGS,
      header: { type: 'string', multiple: true, value: 'name: value', about: 'A header for every request to a URL.' },
      env: {
        type: 'string',
        multiple: true,
        value: 'name[=value]',
        about: 'A variable for the program to be started.',
      },
      'client-id': { type: 'string', value: 'id', about: 'For signing in: the client that is registered there.' },
      scope: { type: 'string', multiple: true, value: 'scope', about: 'For signing in: a scope to ask for.' },
      issuer: { type: 'string', value: 'url', about: 'Accept access tokens of this issuer from callers.' },
      resource: { type: 'string', value: 'url', about: 'With --issuer: the URL under which clients know the bridge.' },
      'allow-anonymous': { type: 'boolean', about: 'Serve whoever reaches the port.' },
    },
    examples: [
      { line: 'portico bridge https://mcp.example.com/mcp', about: 'started by a client, on its standard streams' },
      {
        line: 'portico bridge --http 3000 -- npx -y @modelcontextprotocol/server-everything',
        about: 'a program on a port',
      },
    ],
    load: () => import('../gateway/bridge.ts'),
  },
  {
    name: 'auth',
    about: 'Run the embedded authorization server, and keep its users',
    details:
      'run: until Ctrl-C. add <user>: asks for a password of at least 8 characters. remove <user>. list.\n' +
      'A whole OAuth authorization server for one machine or a small team: sign-in page, consent, clients that register\n' +
      'themselves. Point `portico serve --issuer` at it. Users are kept encrypted in the state folder; who is signed in is\n' +
      'kept in memory, so a restart signs everybody out.',
    positionals: [
      { name: 'action', about: 'run, add, remove or list.', completes: ['run', 'add', 'remove', 'list'] },
      { name: 'user', about: 'For add and remove: the name.', optional: true },
    ],
    flags: {
      issuer: { type: 'string', value: 'url', about: 'Its own address.', fallback: 'http://127.0.0.1:3001' },
      resource: {
        type: 'string',
        multiple: true,
        value: 'url',
        about: 'A server that tokens can be asked for.',
        fallback: 'http://127.0.0.1:3000/mcp',
      },
      scope: { type: 'string', multiple: true, value: 'scope', about: 'A scope that can be granted.' },
      role: { type: 'string', multiple: true, value: 'role', about: 'For add: a role, for rules about people.' },
    },
    examples: [
      { line: 'portico auth add ada --role admin', about: 'asks for the password, or reads it from standard input' },
      { line: 'portico auth run', about: 'until Ctrl-C' },
    ],
    subcommands: ['run', 'add', 'remove', 'list'],
    load: () => import('../gateway/auth.ts'),
  },
  {
    name: 'chat-bot',
    about: 'Answer in a team chat: Slack, or any other by a webhook',
    details:
      'Threads are conversations. Everybody talks to a host of their own: they sign in to servers for themselves, and what has to be\n' +
      'decided is asked with buttons that only they can press. Where it answers, and how much may be used up there, is in the section\n' +
      '`chatBot` of portico.json; tokens are in variables (SLACK_BOT_TOKEN with SLACK_APP_TOKEN for socket mode, or with\n' +
      'SLACK_SIGNING_SECRET for HTTP; CHAT_WEBHOOK_SECRET). `portico doctor` looks at all of it.',
    positionals: [{ name: 'chat', about: 'slack or webhook.', completes: ['slack', 'webhook'] }],
    flags: {
      config: {
        type: 'string',
        value: 'file',
        about: 'A configuration file in place of the usual ones (./portico.json and your own).',
      },
      port: {
        type: 'number',
        value: 'port',
        about: 'The port for requests.',
        fallback: `${CHAT_BOT_PORT}, where one is needed`,
      },
      host: { type: 'string', value: 'address', about: 'The address to listen on.', fallback: '127.0.0.1' },
      check: { type: 'boolean', about: 'Only read the configuration and say what is wrong with it.' },
    },
    examples: [
      { line: 'portico chat-bot slack', about: 'in socket mode: no address is needed' },
      { line: 'portico chat-bot slack --port 3100', about: 'behind a proxy with the address that Slack knows' },
      { line: 'portico chat-bot webhook', about: 'any other chat' },
    ],
    load: () => import('../chat-bot.ts'),
  },
]
