/**
 * Writes `docs/faults.md` (what the matrix of faults and the other implementations came to) and `docs/reference/reliability.md`
 * (each requirement, the cells that try it and the test behind them), from what the suites wrote down:
 * `npm run faults -- --json tests/faults/results/matrix.json` and `npm run faults:peers -- --json tests/faults/results/peers.json`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeIfMain } from './make.mjs'

const COLUMNS = ['sent', 'answered', 'failed', 'lost', 'wrong', 'doubled', 'untrue', 'hung']
const BAD = ['lost', 'wrong', 'doubled', 'untrue', 'hung']
const RESULTS = 'tests/faults/results'

/** The eight conditions of "nothing lost", and where each is held. */
const CONDITIONS = [
  [
    'Complete',
    'Every call ends exactly once: a result, the error of the other side, or a typed error of its own.',
    'lost, hung',
    'tests/faults/judge.ts',
  ],
  ['Right', 'An answer is that of the call, whole, on the right connection.', 'wrong', 'tests/faults/judge.ts'],
  [
    'Truthful',
    'An error says whether the call was not sent or may have run, and that is so by the ledger.',
    'untrue',
    'tests/faults/judge.ts',
  ],
  ['At most once', 'Nothing runs twice unless its caller allowed that.', 'doubled', 'tests/faults/judge.ts'],
  [
    'Exactly once when safe',
    'What may be repeated has a result if the other side is back in time.',
    'lost',
    'tests/faults/judge.ts',
  ],
  [
    'Streams',
    'Progress has no gaps; subscriptions are restored, and what was missed is read again.',
    'wrong',
    'tests/faults/cells/state.ts',
  ],
  ['Detected fast', 'What can be noticed is noticed within a tenth of the timeout.', 'hung', 'tests/faults/judge.ts'],
  [
    'Clean',
    'No process, connection or unhandled rejection is left behind.',
    'the run fails',
    'tests/faults/rig/rig.ts',
  ],
]

/** @param {string} root */
export function makeFaults(root) {
  const matrix = read(root, 'matrix.json')
  const peers = read(root, 'peers.json')
  const pages = new Map()
  if (matrix !== undefined || peers !== undefined) pages.set('docs/faults.md', toFaultsPage(matrix, peers))
  if (matrix !== undefined) pages.set('docs/reference/reliability.md', toReliabilityPage(matrix))
  return pages
}

function read(root, name) {
  const file = join(root, RESULTS, name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** The account of several cells as one. */
export function sum(accounts) {
  return Object.fromEntries(COLUMNS.map((column) => [column, accounts.reduce((all, one) => all + one[column], 0)]))
}

const placeOf = (name) => /^(L\d) F(\d+) (.*)$/.exec(name)?.slice(1) ?? []
const row = (...cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
const table = (head, rows) => [row(...head), row(...head.map(() => '---')), ...rows].join('\n')
const number = (value) => value.toLocaleString('en-US')

function toFaultsPage(matrix, peers) {
  return `${[
    '# What breaks, and what is lost',
    'Made by `node scripts/generate/make-faults.mjs` from the JSON files in `tests/faults/results`. The tables of others are of one run on a busy machine, taken over from what it printed; `npm run faults:peers -- --json tests/faults/results/peers.json` makes them anew.',
    ...(matrix === undefined ? [] : toMatrix(matrix)),
    ...(peers === undefined ? [] : toPeers(peers)),
  ].join('\n\n')}\n`
}

function toMatrix(matrix) {
  const total = sum(matrix.cells.map(({ account }) => account))
  const links = Object.entries(matrix.links).map(([link, about]) => {
    const own = matrix.cells.filter(({ name }) => placeOf(name)[0] === link)
    const account = sum(own.map((cell) => cell.account))
    return row(`${link} ${about}`, own.length, ...COLUMNS.map((column) => number(account[column])))
  })
  const bad = BAD.reduce((all, column) => all + total[column], 0)
  return [
    '## Portico',
    `\`npm run faults\`: ${matrix.cells.length} cells, ${times(matrix.runs)} each from seed ${matrix.seed}, with real processes, sockets, databases, a proxy that breaks them and a ledger on disk. Of ${number(total.sent)} calls, ${number(total.answered)} were answered and ${number(total.failed)} failed with an error that says what it is; ${number(bad)} were lost, wrong, doubled, told untruly or hung. [Every cell](reference/reliability.md).`,
    table(['link', 'cells', ...COLUMNS], links),
  ]
}

function toPeers(peers) {
  return [
    '## By the same command: others, and Portico',
    `\`npm run faults:peers\`, which is \`portico faults\` for each of them: ${times(peers.runs)} of each fault, ${peers.timeoutMs / 1000} s for a call, Node ${peers.node}. \`?\` is what cannot be seen without the other side's ledger. "Well after" is whether a new client was served as before. A call that ends only with its timeout, although the fault could be seen, counts as hung.`,
    ...peers.peers.map(toPeer),
  ]
}

const times = (runs) => `${runs} run${Number(runs) === 1 ? '' : 's'}`

function toPeer({ name, command, rows }) {
  const lines = rows.map(({ fault, about, account, unseen, notes }) =>
    row(
      `${fault} ${about}`,
      ...COLUMNS.map((column) => (unseen.includes(column) ? '?' : account[column])),
      notes.length === 0 ? 'yes' : 'no',
    ),
  )
  return [`### ${name}`, '```', command, '```', '', table(['fault', ...COLUMNS, 'well after'], lines)].join('\n')
}

function toReliabilityPage(matrix) {
  const parts = matrix.faults.map((about, index) => {
    const fault = String(index + 1)
    const cells = matrix.cells.filter(({ name }) => placeOf(name)[1] === fault)
    const rows = cells.map(({ name, runs, account, slowest }) => {
      const [link, , form] = placeOf(name)
      const bad = BAD.reduce((all, column) => all + account[column], 0)
      return row(
        link,
        form,
        runs,
        number(account.sent),
        account.answered,
        account.failed,
        bad,
        Math.max(0, ...slowest),
        `\`${link} F${fault}\``,
      )
    })
    const absent = matrix.absent.filter((one) => String(one.fault) === fault)
    const why = absent.map((one) => `- ${one.link}: ${one.absent}`)
    const head = [
      'link',
      'form',
      'runs',
      'sent',
      'answered',
      'failed',
      'lost, wrong, doubled, untrue, hung',
      'slowest ms',
      '`--cell`',
    ]
    return [
      `### F${fault} ${about}`,
      ...(rows.length > 0 ? [table(head, rows)] : []),
      ...(why.length > 0 ? [`Not tried:\n\n${why.join('\n')}`] : []),
    ].join('\n\n')
  })
  return `${[
    '# Reliability',
    'Each requirement, the cells that try it, and how they went. Made by `node scripts/generate/make-faults.mjs`; `npm run faults -- --cell <cell>` runs one again.',
    '## Nothing lost',
    table(
      ['condition', 'what it means', 'column that must be 0', 'held in'],
      CONDITIONS.map(([name, about, column, file]) => row(name, about, column, `\`${file}\``)),
    ),
    '## Links',
    Object.entries(matrix.links)
      .map(([link, about]) => `- ${link}: ${about}`)
      .join('\n'),
    '## Faults',
    ...parts,
  ].join('\n\n')}\n`
}

writeIfMain(import.meta.url, makeFaults)
