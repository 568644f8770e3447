/**
 * The process in which JavaScript runs: QuickJS in WebAssembly, which has no way to this machine but the few functions
 * given to it here. `javascript.ts` starts one for each run and ends it.
 */

import { setTimeout as pause } from 'node:timers/promises'
import variantModule from '@jitl/quickjs-wasmfile-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core'
import { isFileName } from './file-name.ts'
import type { JavascriptOrder, JavascriptReply } from './javascript.ts'
import { Modules } from './javascript-modules.ts'
import { PRELUDE } from './javascript-prelude.ts'
import type { Ending, RunFile } from './outcome.ts'
import { stripTypes } from './strip-types.ts'

process.on('message', (order: JavascriptOrder) => void run(order).then(reply, fail))
// Whoever asked is gone.
process.on('disconnect', () => process.exit())
reply({ kind: 'ready' })

/** Only this much of the stack that the engine could use: deep recursion must end in the engine, not under it. */
const STACK_BYTES = 128 * 1_024
const MAX_TIMERS = 1_000
const SPARE_BYTES = 8_388_608
/** Its types are those of a CommonJS module, in which the default export is a member of what is imported. */
const VARIANT = variantModule as unknown as QuickJSSyncVariant

type Done = Extract<JavascriptReply, { kind: 'done' }>

function reply(message: JavascriptReply): void {
  process.send?.(message)
}

function fail(error: unknown): void {
  // The engine does not survive every way of running out of memory; WebAssembly stops it where it stands.
  const isTrap = error instanceof Error && error.name === 'RuntimeError'
  const text = isTrap ? 'The engine broke off, most likely for want of memory.' : String(error)
  reply({
    kind: 'output',
    stream: 'stderr',
    text: `${text}
`,
  })
  reply({ kind: 'done', ending: isTrap ? 'memory' : 'failed' })
}

async function run({ code, language, files, limits, packages }: JavascriptOrder): Promise<Done> {
  const folder = new Map(files.map(({ path, bytes }) => [path, bytes]))
  const left = (): RunFile[] => [...folder].map(([path, bytes]) => ({ path, bytes }))
  const printer = createPrinter(limits.outputBytes)
  const source = language === 'typescript' ? await stripTypes(code) : code
  const engine = await newQuickJSWASMModuleFromVariant(VARIANT)
  const runtime = engine.newRuntime()
  runtime.setMemoryLimit(limits.memoryBytes)
  runtime.setMaxStackSize(STACK_BYTES)
  const context = runtime.newContext()
  const timers = new Map<number, number>()
  const modules = new Modules(packages)
  runtime.setModuleLoader(
    (id) => modules.load(id),
    (base, request) => modules.name(base, request),
  )
  const guest = openGuest(context, { folder, limits, print: printer.print, timers, modules })
  // What the guest finds in place is not on its time.
  const deadline = performance.now() + limits.timeMs
  runtime.setInterruptHandler(() => performance.now() > deadline || printer.isFull())
  const started = evaluate(context, source)
  const settled = await settle(runtime, context, started, { deadline, timers, fire: guest.fire })
  const { words, isError } = toWords(runtime, guest, settled, limits.memoryBytes)
  let ending: Ending = isError ? 'failed' : 'finished'
  if (isError && /out of memory/.test(words ?? '')) ending = 'memory'
  else if (printer.isFull()) ending = 'output'
  // A value may have code of its own that runs while it is put into words.
  else if (performance.now() > deadline) ending = 'time'
  // The process ends now: nothing in it needs to be given back.
  if (isError) {
    if (ending === 'failed' && words !== undefined) reply({ kind: 'output', stream: 'stderr', text: `${words}\n` })
    return { kind: 'done', ending, files: left() }
  }
  const isValue = words !== undefined && ending !== 'time'
  const isWithoutDefault = started.holder === 'module' && words === undefined
  return { kind: 'done', ending, ...(isValue && { value: words }), isWithoutDefault, files: left() }
}

const UNSHOWN = 'A value that cannot be shown'

type Settled = Awaited<ReturnType<typeof settle>>

/** What came of a run in words. Where a value cannot be put into words within the bounds of the run, that is what came of it. */
function toWords(
  runtime: QuickJSRuntime,
  guest: ReturnType<typeof openGuest>,
  { handle, isError }: Settled,
  memoryBytes: number,
): { readonly words: string | undefined; readonly isError: boolean } {
  if (handle === undefined) return { words: undefined, isError }
  const shown = isError ? { error: handle } : guest.show(handle)
  if ('words' in shown) return { words: shown.words, isError: false }
  // To put an error into words takes memory, of which there may be none left.
  runtime.setMemoryLimit(memoryBytes + SPARE_BYTES)
  const told = guest.show(shown.error)
  const words = 'words' in told ? told.words : UNSHOWN
  // A value that merely has no words of its own is one all the same.
  return isError || /out of memory/.test(words ?? '') ? { words, isError: true } : { words: UNSHOWN, isError }
}

function createPrinter(maxBytes: number) {
  let room = maxBytes
  return {
    isFull: () => room < 0,
    print(stream: 'stdout' | 'stderr', text: string): void {
      if (room < 0) return
      const line = `${text}\n`
      const size = Buffer.byteLength(line)
      const kept = size <= room ? line : Buffer.from(line).subarray(0, room).toString('utf8')
      room -= size
      reply({ kind: 'output', stream, text: kept })
    },
  }
}

interface Surroundings {
  readonly folder: Map<string, Uint8Array>
  readonly limits: JavascriptOrder['limits']
  readonly print: (stream: 'stdout' | 'stderr', text: string) => void
  readonly timers: Map<number, number>
  readonly modules: Modules
}

/** Gives the guest its console, timers and files. Only texts and numbers cross. */
function openGuest(context: QuickJSContext, { folder, limits, print, timers, modules }: Surroundings) {
  const host = context.newObject()
  const give = (name: string, action: (...args: QuickJSHandle[]) => QuickJSHandle | undefined): void =>
    context.setProp(host, name, context.newFunction(name, action))
  const text = (handle: QuickJSHandle | undefined): string => (handle === undefined ? '' : context.getString(handle))
  give('print', (stream, line) => void print(text(stream) === 'stderr' ? 'stderr' : 'stdout', text(line)))
  give('list', () => context.newString(JSON.stringify([...folder.keys()])))
  give('read', (path) => {
    const bytes = folder.get(text(path))
    return bytes === undefined ? undefined : context.newString(new TextDecoder().decode(bytes))
  })
  give('write', (path, content) => {
    const name = text(path)
    const bytes = new TextEncoder().encode(text(content))
    const others = [...folder].reduce((sum, [key, one]) => sum + (key === name ? 0 : one.length), 0)
    if (!isFileName(name)) throw new Error('That is no name for a file here: use a relative path')
    if (others + bytes.length > limits.fileBytes)
      throw new Error(`More than ${limits.fileBytes} bytes of files (fileBytes)`)
    if (!folder.has(name) && folder.size >= limits.maxFiles)
      throw new Error(`More than ${limits.maxFiles} files (maxFiles)`)
    folder.set(name, bytes)
    return undefined
  })
  give('schedule', (id, delay) => {
    if (timers.size >= MAX_TIMERS) throw new Error(`More than ${MAX_TIMERS} timers`)
    const wait = delay === undefined ? 0 : context.getNumber(delay)
    timers.set(id === undefined ? 0 : context.getNumber(id), performance.now() + Math.max(wait || 0, 0))
    return undefined
  })
  give('cancel', (id) => void timers.delete(id === undefined ? 0 : context.getNumber(id)))
  give('find', (base, request) =>
    context.newString(JSON.stringify(modules.find(modules.resolve(text(base), text(request))))),
  )
  give('hasPackages', () => (modules.isEmpty ? context.false : context.true))
  const prelude = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'))
  const tools = context.unwrapResult(context.callFunction(prelude, context.undefined, host))
  const show = context.getProp(tools, 'show')
  const fire = context.getProp(tools, 'fire')
  return {
    show(handle: QuickJSHandle): { readonly words: string | undefined } | { readonly error: QuickJSHandle } {
      if (context.typeof(handle) === 'undefined') return { words: undefined }
      const shown = context.callFunction(show, context.undefined, handle)
      if (shown.error !== undefined) return { error: shown.error }
      const words = context.getString(shown.value)
      return { words: words.length > limits.outputBytes ? `${words.slice(0, limits.outputBytes)}…` : words }
    },
    fire: (id: number) => context.callFunction(fire, context.undefined, context.newNumber(id)),
  }
}

type Evaluated = ReturnType<QuickJSContext['evalCode']>

/** The engine's own flags: the library does not name the one for a script that may wait at its top level. */
const COMPILE_ONLY = 32
const ASYNC_SCRIPT = 128

interface Started {
  readonly evaluated: Evaluated
  /** Where the value is, once there is one. */
  readonly holder: 'script' | 'waiting script' | 'module'
}

/** A script, whose last value is the result, also where it waits; a module where the code needs one: its default export is. */
function evaluate(context: QuickJSContext, code: string): Started {
  if (parses(context, code, COMPILE_ONLY)) {
    return { evaluated: context.evalCode(code, 'main.js', { type: 'global' }), holder: 'script' }
  }
  if (parses(context, code, ASYNC_SCRIPT | COMPILE_ONLY)) {
    return { evaluated: context.evalCode(code, 'main.js', ASYNC_SCRIPT), holder: 'waiting script' }
  }
  return { evaluated: context.evalCode(code, 'main.js', { type: 'module' }), holder: 'module' }
}

function parses(context: QuickJSContext, code: string, flags: number): boolean {
  return context.evalCode(code, 'main.js', flags).error === undefined
}

interface Settling {
  readonly deadline: number
  readonly timers: Map<number, number>
  fire(id: number): Evaluated
}

/** Runs what is waiting, promises and timers, until nothing is or the time is up. */
async function settle(
  runtime: QuickJSRuntime,
  context: QuickJSContext,
  { evaluated, holder }: Started,
  { deadline, timers, fire }: Settling,
): Promise<{ handle: QuickJSHandle | undefined; isError: boolean }> {
  if (evaluated.error !== undefined) return { handle: evaluated.error, isError: true }
  for (;;) {
    const jobs = runtime.executePendingJobs()
    if (jobs.error !== undefined) return { handle: jobs.error, isError: true }
    const next = [...timers].sort(([, a], [, b]) => a - b)[0]
    if (next === undefined || performance.now() > deadline) break
    const [id, at] = next
    timers.delete(id)
    const wait = Math.min(at, deadline + 1) - performance.now()
    if (wait > 0) await pause(wait)
    if (performance.now() > deadline) break
    const fired = fire(id)
    if (fired.error !== undefined) return { handle: fired.error, isError: true }
  }
  return readPromise(context, evaluated.value, holder)
}

function readPromise(
  context: QuickJSContext,
  value: QuickJSHandle,
  holder: Started['holder'],
): { handle: QuickJSHandle | undefined; isError: boolean } {
  const state = context.getPromiseState(value)
  if (state.type === 'rejected') return { handle: state.error, isError: true }
  if (state.type === 'pending') return { handle: undefined, isError: false }
  const settled = state.notAPromise === true ? value : state.value
  return { handle: holder === 'script' ? settled : valueIn(context, settled, holder), isError: false }
}

/** A module comes as the object of its exports, a script that waited as one with its last value. */
function valueIn(context: QuickJSContext, outcome: QuickJSHandle, holder: Started['holder']): QuickJSHandle {
  const last = context.getProp(outcome, holder === 'module' ? 'default' : 'value')
  const state = context.getPromiseState(last)
  return state.type === 'fulfilled' && state.notAPromise !== true ? state.value : last
}
