/** Commands that use servers. */

import type { Command, Positional } from '../../parse/command.ts'
import { HOST_FLAGS, TARGET_FLAGS } from '../../parse/flags.ts'

const SERVER: Positional = {
  name: 'server',
  about:
    'A name from the configuration, a URL, a file, a ready-made server with what it works on (files ./docs), or a command (quoted, or last after --).',
  completes: 'server',
}

const OUT = {
  type: 'string',
  short: 'o',
  value: 'file',
  about: 'Write to this file instead of standard output.',
} as const

/** What some commands had before all of them had `--output`. */
const SAME_OUT = { type: 'string', value: 'file', about: 'The same as --output.' } as const

const TASK_ACTIONS = ['list', 'show', 'result', 'cancel', 'watch']

const SERVER_ACTIONS = [
  'status',
  'add',
  'remove',
  'enable',
  'disable',
  'import',
  'export',
  'sign-in',
  'sign-out',
  'logs',
  'approve',
  'trust',
  'untrust',
]

export const USING: readonly Command[] = [
  {
    name: 'call',
    about: 'Call a tool and print its result',
    details:
      "Arguments are key=value pairs, read by the types in the tool's schema; lists are given by repeating the key, objects as JSON. --args takes a whole JSON object, - reads it from standard input, and pairs are put over it. Without a tool, the tools are listed with their arguments. A tool that reports an error ends the command with exit code 1. A call that the server makes a task is followed to its end, and Ctrl-C cancels it; with --task it goes on by itself (`portico tasks`).",
    positionals: [
      SERVER,
      { name: 'tool', about: 'The tool to call.', optional: true, completes: 'tool' },
      {
        name: 'args',
        about: 'key=value, or - for JSON on standard input.',
        optional: true,
        rest: true,
        completes: 'tool-argument',
      },
    ],
    otherUsage: '[tool] [args…] -- <server…>',
    flags: {
      args: {
        type: 'string',
        short: 'a',
        value: 'json',
        about: 'The arguments as a JSON object; - for standard input, @file for a file.',
      },
      output: { ...OUT, about: 'Write the result to this file: its picture, sound or file as bytes, else its text.' },
      task: { type: 'boolean', about: 'Begin it as a task and print that, without waiting for the result.' },
      wait: { type: 'boolean', about: 'With --task: wait for the result. Ctrl-C leaves the task running.' },
      ...TARGET_FLAGS,
    },
    examples: [
      { line: 'portico call ./weather.ts forecast city=Lisbon days=3', about: 'a definition in a file' },
      {
        line: 'portico call https://example.com/mcp search query=tea --json',
        about: 'a server on the web, the whole result',
      },
      { line: 'portico call greet name=Ada -- node server.mjs --verbose', about: 'a command with options of its own' },
      {
        line: `portico call github create_issue --args '{"title": "It leaks"}' --yes`,
        about: 'a configured server, without asking',
      },
    ],
    load: () => import('../call.ts'),
  },
  {
    name: 'tasks',
    about: 'Look at tasks, wait for their results, cancel them',
    details: [
      'A task is a call that its server works on by itself: `portico call <server> <tool> --task` begins one. The newest revision has no list of them, so that those begun here are remembered in the state folder, sealed.',
      'list: those that were begun here, and all that a server of 2025-11-25 keeps for you.',
      'show: how one stands.',
      'result: waits for the result and prints it, as call does. Ctrl-C leaves the task running.',
      'cancel: asks the server to end it.',
      'watch: a line for each change, until it is over.',
    ].join('\n'),
    subcommands: TASK_ACTIONS,
    positionals: [
      { name: 'action', about: 'list, show, result, cancel or watch.', completes: TASK_ACTIONS },
      SERVER,
      {
        name: 'task',
        about: 'As list names it, its id, or the beginning of either; the only one unless given.',
        optional: true,
        rest: true,
      },
    ],
    flags: {
      output: { ...OUT, about: 'For result: write it to this file.' },
      ...TARGET_FLAGS,
    },
    examples: [
      { line: 'portico tasks list https://example.com/mcp', about: 'all tasks of a server' },
      { line: 'portico tasks watch reports 3f9a1c2e --json', about: 'every change, for a program' },
      { line: 'portico tasks result reports', about: 'the result of the only one' },
    ],
    load: () => import('../tasks.ts'),
  },
  {
    name: 'list',
    about: 'List what a server offers',
    positionals: [
      SERVER,
      {
        name: 'kind',
        about: 'tools, resources, templates or prompts; all unless given.',
        optional: true,
        rest: true,
        completes: ['tools', 'resources', 'templates', 'prompts'],
      },
    ],
    flags: {
      long: { type: 'boolean', short: 'l', about: 'Show arguments and whole descriptions.' },
      strict: {
        type: 'boolean',
        about: 'Also tell what a model would stumble over and what the tools cost it.',
      },
      'fail-on': {
        type: 'string',
        value: 'level',
        choices: ['error', 'warning', 'info', 'never'],
        about: 'With --strict: exit code 1 where a finding is of this level or above.',
        fallback: 'warning',
      },
      ...TARGET_FLAGS,
    },
    examples: [
      { line: 'portico list https://example.com/mcp', about: 'everything' },
      { line: 'portico list "npx -y some-server" tools --long', about: 'the tools of a command, with their arguments' },
      { line: 'portico list files ./docs', about: 'a ready-made server on a folder' },
      { line: 'portico list github tools --json', about: 'the definitions, for a program' },
    ],
    load: () => import('../list.ts'),
  },
  {
    name: 'read',
    about: 'Read a resource and print it',
    details:
      'In a pipe, text comes as it is and bytes as bytes. On a terminal JSON and Markdown are laid out, and bytes are only told of.',
    positionals: [
      SERVER,
      { name: 'uri', about: 'The resource, or one made from a template.', rest: true, completes: 'resource' },
    ],
    flags: { output: OUT, out: SAME_OUT, ...TARGET_FLAGS },
    examples: [
      { line: 'portico read ./notes.ts note://1', about: 'a text' },
      { line: 'portico read photos photo://cat -o cat.png', about: 'an image, into a file' },
    ],
    load: () => import('../read.ts'),
  },
  {
    name: 'prompt',
    about: 'Fill in a prompt and print its messages',
    positionals: [
      SERVER,
      { name: 'prompt', about: 'The name of the prompt.', completes: 'prompt' },
      { name: 'args', about: 'key=value.', optional: true, rest: true, completes: 'prompt-argument' },
    ],
    flags: TARGET_FLAGS,
    examples: [{ line: 'portico prompt ./review.ts review language=TypeScript', about: 'a prompt with an argument' }],
    load: () => import('../prompt.ts'),
  },
  {
    name: 'listen',
    about: 'Print changes and log messages as they come, until Ctrl-C',
    details: 'One line for each; with --json, one JSON document a line.',
    positionals: [
      SERVER,
      {
        name: 'uri',
        about: 'Resources to watch, besides the lists.',
        optional: true,
        rest: true,
        completes: 'resource',
      },
    ],
    flags: {
      level: {
        type: 'string',
        value: 'level',
        choices: ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'],
        about: 'Log messages of at least this level.',
        fallback: 'info',
      },
      count: { type: 'number', short: 'n', value: 'lines', about: 'End after so many lines.' },
      ...TARGET_FLAGS,
    },
    examples: [
      { line: 'portico listen https://example.com/mcp', about: 'lists and logs' },
      { line: 'portico listen files file:///tmp/a.txt --json', about: 'one resource, for a program' },
    ],
    load: () => import('../listen.ts'),
  },
  {
    name: 'chat',
    about: 'Talk to a model that may use your servers',
    details:
      'Every call is shown and asked about, unless a rule or an earlier answer allows it. Ctrl-C cancels the answer under way, and leaves when there is none. With a message, or one on standard input, it is answered once; where nobody can be asked, what would ask is denied. A call that becomes a task goes on by itself: its result comes as a later message, after you have left to your next conversation.',
    positionals: [
      { name: 'message', about: 'One message to answer, instead of a conversation.', optional: true, rest: true },
    ],
    flags: {
      model: {
        type: 'string',
        short: 'm',
        value: 'id',
        about: 'The model to use.',
        fallback: 'the first that is usable',
      },
      server: { type: 'string', short: 's', multiple: true, value: 'name', about: 'Only this server.' },
      system: { type: 'string', value: 'text', about: 'Instructions for the model.' },
      project: {
        type: 'string',
        value: 'name',
        about: 'A project of portico.json: its servers, attachments, instructions and rules.',
      },
      attend: {
        type: 'number',
        value: 'seconds',
        about: 'How long an answer waits for a call that became a task, before it goes on without it.',
        fallback: '10 in a conversation, no end for a single message',
      },
      ...HOST_FLAGS,
    },
    examples: [
      { line: 'portico chat', about: 'a conversation' },
      { line: 'portico chat -m claude -s files "What changed here last week?"', about: 'one question' },
    ],
    load: () => import('../chat.ts'),
  },
  {
    name: 'models',
    about: 'See and change the models that chat may use',
    details: [
      'list (the default): those of your own file, those whose key is in the environment, and those of a local Ollama.',
      'add <name>: any OpenAI-compatible address (--url), or a provider (--provider). Without --model, the one that the address offers.',
      'remove <name>: out of your own file, with its key.',
      'A key is never written into the file: --key-env names the variable that holds it, --key asks for it and keeps it in the secret store.',
    ].join('\n'),
    subcommands: ['list', 'add', 'remove'],
    positionals: [
      { name: 'action', about: 'list, add or remove.', optional: true, completes: ['list', 'add', 'remove'] },
      { name: 'name', about: 'What you call the model.', optional: true },
    ],
    flags: {
      url: { type: 'string', value: 'url', about: 'For add: its address, as in http://127.0.0.1:11434/v1.' },
      provider: {
        type: 'string',
        value: 'name',
        choices: ['anthropic', 'openai', 'google', 'openai-compatible'],
        about: 'For add: whose model it is.',
        fallback: 'openai-compatible with --url',
      },
      model: { type: 'string', short: 'm', value: 'model', about: "For add: the provider's name for it." },
      'key-env': { type: 'string', value: 'NAME', about: 'For add: the variable of the environment with its key.' },
      key: { type: 'boolean', about: 'For add: ask for its key, or read it from standard input.' },
      config: HOST_FLAGS.config,
    },
    examples: [
      { line: 'portico models add local --url http://127.0.0.1:1234/v1', about: 'LM Studio, llama.cpp, vLLM …' },
      {
        line: 'portico models add big --provider anthropic --model claude-sonnet-4-5 --key',
        about: 'with a key that is asked for',
      },
      { line: 'portico models remove local', about: 'no longer' },
    ],
    load: () => import('../models.ts'),
  },
  {
    name: 'servers',
    about: 'See and change the servers that are configured',
    details: [
      'status (the default) connects to each and shows its state; nothing is asked.',
      "add <name> <url>, or add <name> -- <command…>: into your own file, or the project's with --project.",
      'remove <name> · enable <name> · disable <name>',
      'import [program] [names…]: servers of Claude Desktop, Claude Code, Cursor, VS Code, Windsurf and Zed; without a program, what there is.',
      "export <program>: all servers in that program's form, on standard output.",
      'sign-in <name> · sign-out <name> (revokes and forgets its tokens) · logs <name> (until Ctrl-C)',
      "approve <name> (definitions that changed) · trust · untrust (the project's file)",
    ].join('\n'),
    subcommands: SERVER_ACTIONS,
    positionals: [
      {
        name: 'action',
        about: 'What to do.',
        optional: true,
        completes: SERVER_ACTIONS,
      },
      { name: 'words', about: 'By the action.', optional: true, rest: true, completes: 'server' },
    ],
    flags: {
      env: {
        type: 'string',
        multiple: true,
        value: 'NAME=value',
        about: "For add: a variable of the program's environment.",
      },
      header: { type: 'string', multiple: true, value: 'name: value', about: 'For add: a header for every request.' },
      project: { type: 'boolean', about: "For add and remove: the project's file instead of your own." },
      replace: { type: 'boolean', about: 'For add: take the place of another server of that name, without asking.' },
      ...HOST_FLAGS,
    },
    examples: [
      { line: 'portico servers', about: 'the state of each' },
      { line: 'portico servers add github https://api.githubcopilot.com/mcp/', about: 'one on the web' },
      {
        line: 'portico servers add files -- npx -y @modelcontextprotocol/server-filesystem ~/docs',
        about: 'a program',
      },
      { line: 'portico servers import claude-desktop', about: 'those of another program' },
      { line: 'portico servers export vscode > .vscode/mcp.json', about: 'for another program' },
    ],
    load: () => import('../servers/servers.ts'),
  },
  {
    name: 'lock',
    about: 'Write down what servers promise, to notice when it changes',
    details:
      'The lock holds every tool, resource and prompt with its meaning. Keep it with your project; `portico verify` compares.',
    positionals: [{ ...SERVER, about: 'One server; all that are configured unless given.', optional: true }],
    flags: {
      output: { ...OUT, about: 'The lock file.', fallback: 'portico.lock.json' },
      out: SAME_OUT,
      ...TARGET_FLAGS,
    },
    examples: [
      { line: 'portico lock', about: 'all configured servers, into portico.lock.json' },
      { line: 'portico lock ./weather.ts -o weather.lock.json', about: 'one definition' },
    ],
    load: () => import('../check/lock.ts'),
  },
  {
    name: 'verify',
    about: 'Compare servers with their lock; exit code 1 when something differs',
    positionals: [{ ...SERVER, about: 'One server; all in the lock unless given.', optional: true }],
    flags: {
      lock: { type: 'string', value: 'file', about: 'The lock file.', fallback: 'portico.lock.json' },
      ...TARGET_FLAGS,
    },
    examples: [{ line: 'portico verify', about: 'in a build, so that a changed description is seen' }],
    load: () => import('../check/verify.ts'),
  },
  {
    name: 'types',
    about: "Write TypeScript types for a server's tools",
    details: 'Give the interface to `connect<Name>(…)`, and `client.tools` is typed.',
    positionals: [SERVER],
    flags: {
      name: {
        type: 'string',
        value: 'name',
        about: 'What the interface is called.',
        fallback: "from the server's name",
      },
      output: OUT,
      out: SAME_OUT,
      ...TARGET_FLAGS,
    },
    examples: [{ line: 'portico types https://example.com/mcp -o src/example-server.ts', about: 'into a module' }],
    load: () => import('../types.ts'),
  },
]
