/**
 * Writes `docs/faults.md` (what the matrix of faults and the other implementations came to), `docs/reference/reliability.md`
 * (each requirement, the cells that try it and the test behind them) and the numbers of the README on safety, from what the suites wrote down:
 * `npm run faults -- --json tests/faults/results/matrix.json` and `npm run faults:peers -- --json tests/faults/results/peers.json`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeIfMain } from './make.mjs'

const COLUMNS = ['sent', 'answered', 'failed', 'lost', 'wrong', 'doubled', 'untrue', 'hung']
const BAD = ['lost', 'wrong', 'doubled', 'untrue', 'hung']
const RESULTS = 'tests/faults/results'

/** @param {string} root */
export function makeFaults(root) {
  const matrix = read(root, 'matrix.json')
  const peers = read(root, 'peers.json')
  const pages = new Map()
  if (matrix !== undefined || peers !== undefined) pages.set('docs/faults.md', toFaultsPage(matrix, peers))
  const requirements = readReliability(root)
  if (requirements.length > 0) pages.set('docs/reference/reliability.md', toReliabilityPage(matrix, requirements))
  const readme = toReadme(root, matrix)
  if (readme !== undefined) pages.set('README.md', readme)
  return pages
}

const NUMBERS = /(<!-- numbers of safety -->\n)[\s\S]*?(<!-- end of numbers -->)/

/** The README with the numbers as they are; undefined where it has no place for them. */
function toReadme(root, matrix) {
  const file = join(root, 'README.md')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (!NUMBERS.test(text)) return undefined
  const security = JSON.parse(readFileSync(join(root, 'scripts/generate/security-requirements.json'), 'utf8'))
  const lines = [
    ...(matrix === undefined ? [] : toReadmeLines(matrix)),
    `- ${readReliability(root).length} [requirements of reliability](docs/reference/reliability.md) and ${security.length} [of security](docs/reference/security.md), each with the tests that hold it.`,
  ]
  return text.replace(NUMBERS, (_, begin, end) => `${begin}${lines.join('\n')}\n${end}`)
}

function toReadmeLines(matrix) {
  const total = sum(matrix.cells.map(({ account }) => account))
  return [
    `- \`npm run faults\` breaks every link between client, server, gateway and store in ${matrix.cells.length} ways, ${runsOf(matrix)} each. Of`,
    `  ${number(total.sent)} calls ${BAD.map((column) => `${total[column]} were ${WORDS[column]}`).join(', ')}; each ended once, with its answer or an error`,
    '  that says whether it was sent: [what breaks, and what is lost](docs/faults.md), there also for others.',
  ]
}

const WORDS = {
  lost: 'lost',
  wrong: 'answered wrongly',
  doubled: 'run twice',
  untrue: 'told untruly',
  hung: 'left hanging',
}

/** The requirements: what is to hold, and the cells (`F4`, `F1-F26`) and tests that try it. */
export function readReliability(root) {
  const file = join(root, 'scripts/generate/reliability-requirements.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

/** The numbers of the faults that a requirement names. */
export function faultsOf({ cells = [] }) {
  return cells.flatMap((cell) => {
    const [first, last] = [...cell.matchAll(/F(\d+)/g)].map(([, number]) => Number(number))
    return Array.from({ length: (last ?? first) - first + 1 }, (_, index) => first + index)
  })
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
    'Made by `node scripts/generate/make-faults.mjs` from what two commands wrote down: `npm run faults -- --json tests/faults/results/matrix.json` and `npm run faults:peers -- --json tests/faults/results/peers.json`.',
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
    `\`npm run faults\`: ${matrix.cells.length} cells, ${runsOf(matrix)} each, Node ${matrix.node}, with real processes, sockets, databases, a proxy that breaks them and a ledger on disk. Of ${number(total.sent)} calls, ${number(total.answered)} were answered and ${number(total.failed)} failed with an error that says what it is; ${number(bad)} were lost, wrong, doubled, told untruly or hung. [Every cell](reference/reliability.md).`,
    table(['link', 'cells', ...COLUMNS], links),
  ]
}

function toPeers(peers) {
  return [
    '## By the same command: others, and Portico',
    `\`npm run faults:peers\`, which is \`portico faults\` for each of them: ${times(peers.runs)} of each fault, ${peers.timeoutMs / 1000} s for a call, Node ${peers.node}. \`?\` is what cannot be seen without the other side's ledger. "Well after" is whether a new client was served as before. A call that ends only with its timeout, although the fault could be seen, counts as hung.`,
    ...(peers.cores === undefined ? ['These tables were taken over from what one run printed on a busy machine.'] : []),
    ...peers.peers.map(toPeer),
  ]
}

/** How often the cells were run: the same for all, or from the least to the most. */
export function runsOf({ cells }) {
  const runs = cells.map((cell) => cell.runs)
  const [least, most] = [Math.min(...runs), Math.max(...runs)]
  return least === most ? times(least) : `${least} to ${times(most)}`
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

function toReliabilityPage(matrix, requirements) {
  const sections = [...new Set(requirements.map(({ section }) => section))]
  return `${[
    '# Reliability',
    'Each requirement, the cells of the matrix of faults that try it, how they went, and the tests behind them. Made by `node scripts/generate/make-faults.mjs`; `npm run faults -- --cell <cell>` runs a cell again.',
    ...sections.flatMap((section) => {
      const rows = requirements.filter((one) => one.section === section).map((one) => toRequirement(one, matrix))
      return [`## ${section}`, table(['', 'requirement', 'cells: calls, and what must be 0', 'tests'], rows)]
    }),
    ...(matrix === undefined ? [] : toCells(matrix)),
  ].join('\n\n')}\n`
}

function toCells(matrix) {
  const links = Object.entries(matrix.links).map(([link, about]) => `- ${link}: ${about}`)
  const faults = matrix.faults.map((about, index) => toFault(matrix, index + 1, about))
  return ['## Links', links.join('\n'), '## Cells', ...faults]
}

/** Lost, wrong, doubled, untrue and hung in all. */
const badOf = (account) => BAD.reduce((all, column) => all + account[column], 0)

function toRequirement(requirement, matrix) {
  const { id, text, cells = [], tests = [], command } = requirement
  const wanted = new Set(faultsOf(requirement).map(String))
  const own = (matrix?.cells ?? []).filter(({ name }) => wanted.has(placeOf(name)[1]))
  const account = sum(own.map((cell) => cell.account))
  const figures = own.length === 0 ? '' : ` (${own.length}): ${number(account.sent)}, ${badOf(account)}`
  const tried = cells.length === 0 ? '–' : `${cells.join(', ')}${figures}`
  const links = tests.map(({ file, title }) => `[${file.split('/').at(-1)}](../../${file}): ${title}`)
  const all = [...links, ...(command === undefined ? [] : [`\`${command}\``])]
  return row(id, text, tried, all.join('<br>') || 'the cells')
}

function toFault(matrix, fault, about) {
  const cells = matrix.cells.filter(({ name }) => placeOf(name)[1] === String(fault))
  const rows = cells.map(({ name, runs, account, slowest }) => {
    const [link, , form] = placeOf(name)
    const figures = [runs, number(account.sent), account.answered, account.failed, badOf(account), slowest]
    return row(link, form, ...figures, `\`${link} F${fault}\``)
  })
  const why = matrix.absent.filter((one) => one.fault === fault).map((one) => `- ${one.link}: ${one.absent}`)
  const bad = 'lost, wrong, doubled, untrue, hung'
  const head = ['link', 'form', 'runs', 'sent', 'answered', 'failed', bad, 'slowest ms', '`--cell`']
  return [
    `### F${fault} ${about}`,
    ...(rows.length > 0 ? [table(head, rows)] : []),
    ...(why.length > 0 ? [`Not tried:\n\n${why.join('\n')}`] : []),
  ].join('\n\n')
}

writeIfMain(import.meta.url, makeFaults)
