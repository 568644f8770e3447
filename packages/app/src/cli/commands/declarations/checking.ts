/** Commands that look closer: at the machine, at servers, at rules and records. */

import type { Command } from '../../parse/command.ts'
import { HOST_FLAGS, TARGET_FLAGS } from '../../parse/flags.ts'

const { yes: _yes, ...CHECKING_FLAGS } = TARGET_FLAGS
const CONFIG = { config: HOST_FLAGS.config }

export const CHECKING: readonly Command[] = [
  {
    name: 'doctor',
    about: 'Check this machine, the configuration and the servers, and say what to do',
    details:
      'Exit code 1 when something does not work. Servers that nobody has allowed yet are left out; one that is named is asked about in a terminal.',
    positionals: [{ name: 'server', about: 'Look at one server only.', optional: true, completes: 'server' }],
    flags: { ...CHECKING_FLAGS },
    examples: [
      { line: 'portico doctor', about: 'everything' },
      { line: 'portico doctor https://example.com/mcp', about: 'one server, step by step' },
    ],
    load: () => import('../check/doctor.ts'),
  },
  {
    name: 'conformance',
    about: 'Try a server on every protocol revision it speaks',
    details:
      'Connects once for each revision and checks the handshake, lists, errors, cancellation and parallel requests; over HTTP also what the transport asks for. Only reads and harmless mistakes are sent: no tool is called with arguments that it takes. Exit code 1 when a check fails.',
    positionals: [
      {
        name: 'server',
        about: 'A URL, a command (quoted, or after --), a file, or a configured name.',
        completes: 'server',
      },
    ],
    flags: { ...CHECKING_FLAGS },
    examples: [
      { line: 'portico conformance http://localhost:3000/mcp', about: 'a server on a port' },
      { line: 'portico conformance -- node server.mjs', about: 'a command' },
    ],
    load: () => import('../check/conformance.ts'),
  },
  {
    name: 'load',
    about: 'Call a tool many times and tell how long it takes',
    details:
      'Calls the tool of the server you name, so many at a time, and tells p50, p95, p99 and a histogram. It ends after the requests or the duration, whichever comes first. Exit code 1 when a call failed.',
    positionals: [
      { name: 'server', about: 'As for `portico call`.', completes: 'server' },
      { name: 'tool', about: 'The tool to call.', optional: true, completes: 'tool' },
      {
        name: 'args',
        about: 'key=value, the same for every call.',
        optional: true,
        rest: true,
        completes: 'tool-argument',
      },
    ],
    flags: {
      requests: { type: 'number', short: 'n', value: 'calls', about: 'How many calls.', fallback: '100' },
      concurrency: { type: 'number', short: 'c', value: 'calls', about: 'How many at a time.', fallback: '10' },
      rate: { type: 'number', value: 'calls', about: 'How many calls begin each second.', fallback: 'no limit' },
      duration: { type: 'number', value: 'seconds', about: 'Stop beginning calls after this.', fallback: '60' },
      args: { type: 'string', short: 'a', value: 'json', about: 'The arguments as a JSON object.' },
      ...TARGET_FLAGS,
    },
    examples: [
      { line: 'portico load ./weather.ts forecast city=Lisbon -n 1000 -c 20', about: 'a definition' },
      { line: 'portico load http://localhost:3000/mcp search query=tea --rate 50', about: 'at a steady rate' },
    ],
    load: () => import('../check/load.ts'),
  },
  {
    name: 'faults',
    about: 'Break the way to a server or a client, and count what became of the calls',
    details: [
      'Resets connections, holds them up, cuts answers and lets processes die while calls are under way, and counts: calls sent, answered, failed with an error, lost, wrong, doubled, untrue about delivery, hung. The same is done to Portico itself, and both are shown. Of a server one tool is called many times: one that says it only reads and needs no arguments, or the one you name.',
      'With --client the command is started with the URL of a server as its last argument. It reads calls as lines of JSON on standard input and writes their ends on standard output; the guide to faults shows one. Exit code 1 when a call was lost, wrong, doubled, untrue or hung, or when a server was not well afterwards.',
    ].join('\n'),
    positionals: [
      {
        name: 'server',
        about: 'An http URL, or a command (quoted, or after --).',
        optional: true,
        completes: 'server',
      },
    ],
    flags: {
      tool: { type: 'string', value: 'name', about: 'The tool to call; it is called hundreds of times.' },
      args: { type: 'string', short: 'a', value: 'json', about: 'The arguments of the tool as a JSON object.' },
      client: { type: 'string', value: 'command', about: 'Try this client in place of a server.' },
      runs: { type: 'number', short: 'n', value: 'times', about: 'How often each fault is tried.', fallback: '3' },
      seed: { type: 'number', value: 'number', about: 'Where the random choices begin.', fallback: '1' },
      'as-server': { type: 'boolean', about: 'Be the server that Portico is tried with, on standard streams.' },
      'as-client': { type: 'boolean', about: 'Be the client that Portico is tried with, for the URL that is named.' },
      ...CHECKING_FLAGS,
    },
    examples: [
      { line: 'portico faults http://localhost:3000/mcp', about: 'a server on a port' },
      { line: 'portico faults --tool search --args \'{"query":"tea"}\' -- node server.mjs', about: 'a command' },
      { line: "portico faults --client 'node my-client.mjs'", about: 'a client' },
    ],
    load: () => import('../check/faults.ts'),
  },
  {
    name: 'policy',
    about: 'Check the rules, or ask what they would say',
    details: [
      'lint [file]: rules that cannot be read, never match or contradict each other. Exit code 1 when there are any.',
      'explain <effect> <server> [item] [key=value…]: what would happen, and which rule says so. Effects are connect, call, read, prompt, sample, elicit, root and flow.',
    ].join('\n'),
    subcommands: ['lint', 'explain'],
    positionals: [
      { name: 'action', about: 'lint or explain.', completes: ['lint', 'explain'] },
      { name: 'words', about: 'By the action.', optional: true, rest: true },
    ],
    flags: {
      unattended: { type: 'boolean', about: 'For explain: as if nobody were there to be asked.' },
      tainted: { type: 'boolean', about: 'For explain: as if untrusted text were in the conversation.' },
      from: { type: 'string', multiple: true, value: 'server', about: 'For explain flow: whose data it is.' },
      ...CONFIG,
    },
    examples: [
      { line: 'portico policy lint', about: 'the rules of your configuration' },
      { line: 'portico policy explain call files delete_file path=/etc/passwd', about: 'one call' },
    ],
    load: () => import('../check/policy.ts'),
  },
  {
    name: 'audit',
    about: 'Search the audit log, or check that nobody has changed it',
    details: 'search [text]: records, newest first. verify: exit code 1 when a record was changed, moved or removed.',
    subcommands: ['search', 'verify'],
    positionals: [
      { name: 'action', about: 'search or verify.', completes: ['search', 'verify'] },
      { name: 'text', about: 'For search: words that a record holds.', optional: true, rest: true },
    ],
    flags: {
      server: { type: 'string', short: 's', value: 'name', about: 'Records about this server.' },
      what: { type: 'string', value: 'effect', about: 'call, read, prompt, sample, connect, …' },
      outcome: { type: 'string', value: 'word', about: 'allow, deny, ok, error, cancelled.' },
      type: { type: 'string', value: 'type', choices: ['decision', 'outcome', 'event'], about: 'The kind of record.' },
      since: { type: 'string', value: 'time', about: 'From then on: 30m, 12h, 7d, or a date.' },
      until: { type: 'string', value: 'time', about: 'Before then.' },
      limit: { type: 'number', short: 'n', value: 'records', about: 'At most so many.', fallback: '50' },
      file: { type: 'string', value: 'file', about: 'Another log.', fallback: 'those of this machine' },
    },
    examples: [
      { line: 'portico audit search --server github --since 1d', about: 'what a server was used for' },
      { line: 'portico audit search --outcome deny --json', about: 'refusals, for a program' },
      { line: 'portico audit verify', about: 'in a nightly job' },
    ],
    load: () => import('../check/audit.ts'),
  },
  {
    name: 'completion',
    about: 'Print a script that completes commands in your shell',
    details:
      'Commands, options, servers, and what a server offers: tools with their arguments and values, prompts and resources, as they were when the server was last listed or called. No server is started for it. Names with signs that a shell would act on are left out.',
    positionals: [
      { name: 'shell', about: 'bash, zsh or fish.', completes: ['bash', 'zsh', 'fish'] },
      { name: 'words', about: 'For the scripts themselves: what has been typed.', optional: true, rest: true },
    ],
    flags: {},
    examples: [
      { line: 'source <(portico completion bash)', about: 'in ~/.bashrc' },
      { line: 'portico completion zsh > ~/.zfunc/_portico', about: 'with ~/.zfunc in fpath' },
      { line: 'portico completion fish > ~/.config/fish/completions/portico.fish', about: 'for fish' },
    ],
    load: () => import('../completion.ts'),
  },
]
