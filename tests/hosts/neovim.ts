/**
 * A person in Neovim, in a real terminal: connects two servers, calls a tool by its form, answers a question, approves a
 * write of the model, inserts a resource, follows a task, and sees a server crash and come back.
 */

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Script } from '@portico/host/model'
import { toPicture } from '../support/picture.ts'
import type { Trial } from '../support/suite.ts'
import { openScreen, type Screen } from '../support/tmux.ts'
import { until } from '../support/wait.ts'
import type { LabPlace } from './lab.ts'
import { inNeovim, missingNeovim, neovimVersion } from './neovim-place.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

const SCRIPT: Script = {
  replies: [{ text: 'Nothing was scripted for that.' }],
  topics: {
    'write it down': [
      { calls: [{ name: 'lab_write_note', arguments: { text: 'the model was here' } }] },
      { text: 'It is written down.' },
    ],
  },
}

interface Seat extends LabPlace {
  readonly screen: Screen
  /** A command of Neovim. */
  command(words: string): void
}

async function sitDown(program: string, work: (seat: Seat) => Promise<void>): Promise<void> {
  await inNeovim(SCRIPT, async (place) => {
    const screen = openScreen(place.env, place.folder)
    const command = (words: string): void => {
      screen.press('Escape')
      screen.line(`:${words}`)
    }
    try {
      screen.line(`${program} -u init.lua draft.txt`)
      await screen.until(/first line/)
      await work({ ...place, screen, command })
    } finally {
      screen.close()
    }
  })
}

async function connect({ screen, command }: Seat): Promise<void> {
  command('Portico')
  for (const at of [0, 1]) {
    const shown = await screen.until(/Connect (?:lab|shelf)\?[\s\S]*lab-server\.ts[\s\S]*\[y\] Allow/)
    const name = /Connect (lab|shelf)\?/.exec(shown)?.[1]
    if (at === 0) await keepPicture('neovim-approval', screen)
    screen.type('y')
    await screen.until(new RegExp(`● ${name} ready`))
  }
  await screen.until(/● lab ready[\s\S]*\d tools, 1 resources, 1 prompts[\s\S]*● shelf ready/)
}

async function callByForm({ screen, command }: Seat): Promise<void> {
  command('Portico call lab_greet')
  await screen.until(/Call lab_greet[\s\S]*name \(string, required\): *\n/)
  screen.press('Enter')
  await screen.until(/\nname: *$/)
  screen.line('Ada')
  await screen.until(/name \(string, required\): Ada/)
  screen.type('j')
  screen.press('Enter')
  await screen.until(/1: glad[\s\S]*2: sad/)
  screen.line('2')
  await screen.until(/mood \(string, optional\): sad/)
  await keepPicture('neovim-form', screen)
  screen.type('s')
  await screen.until(/Hello, Ada \(sad, 1\)/)
}

async function answerQuestion({ screen, command }: Seat): Promise<void> {
  command('Portico call lab_ask_name')
  await screen.until(/Call lab_ask_name/)
  screen.type('s')
  await screen.until(/lab asks[\s\S]*Who is there\?[\s\S]*\[y\] Send it/)
  screen.type('y')
  await screen.until(/who \(string, required\)/)
  screen.press('Enter')
  await screen.until(/\nwho: *$/)
  screen.line('Grace')
  await screen.until(/who \(string, required\): Grace/)
  screen.type('s')
  await screen.until(/It is Grace/)
}

async function approveWrite({ screen, command, notes }: Seat): Promise<void> {
  command('Portico ask please write it down')
  await screen.until(/Call write_note of lab\?[\s\S]*"text": "the model was here"[\s\S]*\[y\] Allow/)
  assert(!existsSync(notes), 'nothing is written before the answer')
  await keepPicture('neovim-write', screen)
  screen.type('y')
  await screen.until(/It is written down\./)
  assert.equal(readFileSync(notes, 'utf8'), 'the model was here\n')
}

async function insertResource({ screen, command, folder }: Seat): Promise<void> {
  command('buffer draft.txt | only')
  command('Portico insert portico:shelf/note://welcome')
  await screen.until(/Welcome ⟦U\+001B⟧\[31mto the lab⟦U\+202E⟧/)
  command('set tabstop?')
  await screen.until(/tabstop=8/)
  command('write')
  await until(() => readFileSync(`${folder}/draft.txt`, 'utf8').includes('Welcome'), 'the draft is saved')
  command('Portico prompt lab_review')
  await screen.until(/Prompt lab_review[\s\S]*language \(string, required\)/)
  screen.press('Enter')
  await screen.until(/\nlanguage: *$/)
  screen.line('Lua')
  await screen.until(/language \(string, required\): Lua/)
  screen.type('s')
  await screen.until(/Please review this Lua file\./)
}

async function followTask({ screen, command }: Seat): Promise<void> {
  command('Portico call lab_count')
  await screen.until(/Call lab_count/)
  screen.type('t')
  await screen.until(/lab count working .*halfway there/)
  await screen.until(/lab count completed/)
  command('Portico tasks')
  screen.type('4G')
  screen.press('Enter')
  await screen.until(/counted to 4711/)
}

async function seeCrash({ screen, command }: Seat): Promise<void> {
  command('only')
  command('Portico')
  await screen.until(/● lab ready/)
  command('Portico call lab_crash')
  await screen.until(/Call lab_crash/)
  screen.type('s')
  await screen.until(/[◐◌✗] lab (?:degraded|starting|failed)|lost|ended/)
  await screen.until(/● lab ready/)
  command('Portico call lab_greet')
  await screen.until(/Call lab_greet/)
  screen.press('Enter')
  screen.line('Alan')
  await screen.until(/name \(string, required\): Alan/)
  screen.type('s')
  await screen.until(/Hello, Alan \(calm, 1\)/)
}

/** With `PORTICO_PICTURES=1`, the pictures of the guide are taken anew. */
async function keepPicture(name: string, screen: Screen): Promise<void> {
  if (process.env.PORTICO_PICTURES !== '1') return
  const file = new URL(`../../docs/screenshots/${name}.svg`, import.meta.url)
  // Where this repository is on the machine that takes the picture is nobody's business; every column stays where it is.
  const shown = screen.text().replaceAll(ROOT, '/home/ann/src'.padEnd(ROOT.length, '_').slice(0, ROOT.length))
  await writeFile(file, toPicture(shown))
}

const STEPS = [
  ['two servers are connected', connect],
  ['a tool is called by its form', callByForm],
  ['a question is answered', answerQuestion],
  ['a write of the model is approved', approveWrite],
  ['a resource and a prompt are inserted', insertResource],
  ['a task is followed', followTask],
  ['a server crashes and comes back', seeCrash],
] as const

/** A person's whole way through one Neovim. */
export function neovimTrial(program: string): Trial {
  return {
    name: `neovim in a terminal (${program}): servers, form, question, approval, resource, task, crash (host 25)`,
    missing: () => missingNeovim(program),
    async run(report) {
      report.note = `${neovimVersion(program)}, ${STEPS.length} steps`
      await sitDown(program, async (seat) => {
        for (const [what, step] of STEPS) {
          await step(seat).catch((error: unknown) => {
            throw new Error(`${what}: ${error instanceof Error ? error.message : error}`)
          })
        }
        // The host ends with the editor, and its servers with it.
        seat.command('qall!')
        await until(() => seat.screen.children().length === 0, 'Neovim ends')
      })
    },
  }
}

/** Said where only the machine's own Neovim could be tried. */
export const newerNeovim: Trial = {
  name: 'neovim of today (host 25)',
  long: true,
  missing: () => 'no newer Neovim was named (--neovim <program>; tests/README.md says where Debian has one)',
  run: () => {},
}
