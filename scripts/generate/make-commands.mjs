/**
 * Writes a page for each command, and the list of them with the exit codes, from the declarations that `--help` is made
 * from: `node scripts/generate/make-commands.mjs`. The test beside this file fails while a page is out of date.
 */
import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repositoryRoot } from '../report.mjs'
import { writePages } from './make.mjs'

const FOLDER = 'docs/reference/commands'
const NOTE =
  '<!-- Made by scripts/generate/make-commands.mjs from packages/app/src/cli/commands. Change the declaration there. -->'

/**
 * @typedef {import('../../packages/app/src/cli/parse/command-table.ts').CommandGroup} CommandGroup
 * @typedef {import('../../packages/app/src/cli/parse/command.ts').Command} Command
 * @typedef {{ usageLine: (command: Command) => string, flagWords: Function, flagAbout: Function }} Help
 * @param {{ groups: readonly CommandGroup[], common: Command['flags'], exitCodes: object, help: Help }} parts
 * @returns {Map<string, string>} pages by path
 */
export function toCommandPages({ groups, common, exitCodes, help }) {
  const pages = new Map([[`${FOLDER}/README.md`, toIndex(groups, exitCodes)]])
  for (const command of groups.flatMap(({ commands }) => commands)) {
    pages.set(`${FOLDER}/${command.name}.md`, toPage(command, common, help))
  }
  return pages
}

function toIndex(groups, exitCodes) {
  const tables = groups.map(({ title, commands }) => {
    const rows = commands.map(({ name, about }) => `| [\`${name}\`](${name}.md) | ${cell(about)} |`)
    return `## To ${title}\n\n| command | |\n|---|---|\n${rows.join('\n')}`
  })
  const codes = Object.values(exitCodes).map(({ code, about }) => `| ${code} | ${cell(about)} |`)
  return `# Commands

${NOTE}

Data goes to standard output, words for people to standard error; \`--json\` makes the data JSON. How servers are named and
what the commands have in common is in the guide: [The command line](../../guide/command-line.md).

${tables.join('\n\n')}

## Exit codes

| code | |
|---|---|
${codes.join('\n')}
`
}

function toPage(command, common, { usageLine, flagWords, flagAbout }) {
  const flags = Object.entries({ ...command.flags, ...common })
  const sections = [
    `# portico ${command.name}\n\n${NOTE}\n\n${command.about}\n\n\`\`\`text\n${usageLine(command)}\n\`\`\``,
    command.details === undefined ? '' : command.details.split('\n').join('\n\n'),
    table(
      'argument',
      command.positionals.map(({ name, about }) => [name, about]),
    ),
    table(
      'option',
      flags.map(([name, flag]) => [flagWords(name, flag), flagAbout(flag)]),
    ),
    command.examples.length === 0
      ? ''
      : `\`\`\`sh\n${command.examples.map(({ line, about }) => `${line}   # ${about}`).join('\n')}\n\`\`\``,
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function table(title, rows) {
  if (rows.length === 0) return ''
  return `| ${title} | |\n|---|---|\n${rows.map(([left, right]) => `| \`${left}\` | ${cell(right)} |`).join('\n')}`
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}

const script = process.argv[1]
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)) {
  const { tsImport } = await import('tsx/esm/api')
  const load = (name) => tsImport(`../../packages/app/src/${name}.ts`, import.meta.url)
  const [{ COMMAND_GROUPS }, { COMMON_FLAGS }, { EXIT_CODES }, help] = await Promise.all(
    ['cli/parse/command-table', 'cli/parse/parse', 'exit-codes', 'cli/parse/help'].map(load),
  )
  const folder = join(repositoryRoot, FOLDER)
  if (existsSync(folder)) for (const name of readdirSync(folder)) rmSync(join(folder, name))
  writePages(toCommandPages({ groups: COMMAND_GROUPS, common: COMMON_FLAGS, exitCodes: EXIT_CODES, help }))
}
