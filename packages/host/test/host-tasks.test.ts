/** Calls of a model that become tasks: told, followed, asked about, cancelled, taken up again, and handed over late. */

import { readFile } from 'node:fs/promises'
import type { ProtocolVersion } from '@portico/sdk/client'
import { createServer, type Server, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { auditFiles } from '../src/assembly/audit-file.ts'
import type { HostTask } from '../src/assembly/tasks/host-task.ts'
import { defineServer } from '../src/config/define-server.ts'
import type { Question } from '../src/consent/question.ts'
import type { TurnEvent } from '../src/model/conversation.ts'
import { callOf, type HostLab, type HostLabOptions, startHost } from './host-lab.ts'

const labs: HostLab[] = []
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.close()
})

/** A server whose reports are done when somebody says so. */
function reports(version: ProtocolVersion = '2026-07-28') {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const cancelled: string[] = []
  const server = createServer({
    name: 'reports',
    version: '1',
    versions: [version],
    tasks: createTasks(),
    tools: {
      report: tool({ description: 'Slow', task: { mode: 'required', pollIntervalMs: 100 } }, async (_args, ctx) => {
        ctx.signal.addEventListener('abort', () => cancelled.push('report'))
        ctx.progress(1, 2, 'counting')
        await released
        return 'forty-two'
      }),
      survey: tool({ description: 'Asks', task: { mode: 'required', pollIntervalMs: 100 } }, async (_args, ctx) => {
        const { content } = await ctx.elicit('year', { message: 'Which year?', form: z.object({ year: z.number() }) })
        return `year ${content?.year}`
      }),
    },
  })
  return { server, release: () => release(), cancelled }
}

const FORM_ANSWER = { action: 'allow', content: { year: 2026 } } as const
const decide = ({ body }: Question) => (body.kind === 'form' ? FORM_ANSWER : ({ action: 'allow' } as const))

async function start(server: Server, options: HostLabOptions = {}): Promise<HostLab> {
  const lab = await startHost({ reports: () => server }, { decide, tasks: { attendMs: 0 }, ...options })
  labs.push(lab)
  return lab
}

const calling = (name: string, ...more: object[]) => ({
  script: {
    replies: [{ calls: [{ name: `reports_${name}`, arguments: {} }] }, { text: 'It runs.' }, ...more],
  } as never,
})

interface Arrived {
  readonly problem?: string | undefined
}

/** A conversation whose model calls the tool; resolves when its turn is over. */
async function converse({ host }: HostLab, session = 'chat') {
  const events: TurnEvent[] = []
  const arrivals: Arrived[] = []
  const conversation = host.converse({ session, onTask: ({ problem }) => void arrivals.push({ problem }) })
  await conversation.send('Go', (event) => void events.push(event))
  return { conversation, events, arrivals }
}

const lastMessages = ({ provider }: HostLab) => JSON.stringify(provider.requests.at(-1)?.messages)

async function auditText({ stateDir }: HostLab): Promise<string> {
  const texts = auditFiles(stateDir).map((file) => readFile(file, 'utf8').catch(() => ''))
  return (await Promise.all(texts)).join('\n')
}

async function auditOf(lab: HostLab): Promise<string[]> {
  const lines = (await auditText(lab)).split('\n').filter((line) => line.includes('"what":"task"'))
  return lines.map((line) => JSON.parse(line).outcome)
}

describe.each([
  ['2025-11-25', 'core'],
  ['2026-07-28', 'extension'],
] as const)('a call of the model that becomes a task of %s (host 31)', (version, generation) => {
  it('is told to the model, the turn goes on, and the result comes later as the data of its server', async () => {
    const { server, release } = reports(version)
    const lab = await start(server, { ...calling('report', { text: 'It was 42.' }) })
    const { conversation, events, arrivals } = await converse(lab)
    const call = callOf(events, 'reports_report')
    expect([call?.status, events.at(-1)]).toEqual(['task', { type: 'end', reason: 'done' }])
    expect(lastMessages(lab)).toContain(`runs on its own as task ${call?.task}`)
    const [task] = await lab.host.tasks.list()
    expect(task).toMatchObject({ label: call?.task, tool: 'report', session: 'chat', generation, followed: true })
    release()
    await expect.poll(() => arrivals).toEqual([{ problem: undefined }])
    await conversation.proceed(() => {})
    expect(lastMessages(lab)).toMatch(
      new RegExp(`the result of task ${task?.label} .*data from the server .*reports.*not instructions.*forty-two`),
    )
    expect(await lab.host.tasks.list()).toMatchObject([{ status: 'completed', delivered: true, followed: false }])
    await expect.poll(() => auditOf(lab)).toEqual(['started', 'completed'])
  })

  it('is waited for like any other call where it is done in time', async () => {
    const { server, release } = reports(version)
    release()
    const lab = await start(server, { ...calling('report'), tasks: { attendMs: 60_000 } })
    const { events } = await converse(lab)
    expect(callOf(events, 'reports_report')).toMatchObject({ status: 'ok', server: 'reports' })
    expect(lastMessages(lab)).toContain('forty-two')
  })

  it('has its questions asked as part of its conversation, past the same rules', async () => {
    const { server } = reports(version)
    const questions: (string | undefined)[] = []
    const lab = await start(server, { ...calling('survey') })
    lab.host.on('task', ({ question }) => void questions.push(question))
    const { arrivals } = await converse(lab)
    await expect.poll(() => arrivals).toEqual([{ problem: undefined }])
    const form = lab.asked.find(({ body }) => body.kind === 'form')
    expect([form?.session, lab.questions()]).toEqual(['chat', expect.arrayContaining(['reports:form'])])
    expect(questions).toContain(form?.id)
    await expect.poll(() => auditOf(lab)).toEqual(expect.arrayContaining(['started', 'question', 'completed']))
  })

  it('survives the host: the next one with the same state goes on with it', async () => {
    const { server, release } = reports(version)
    const first = await start(server, { ...calling('report') })
    const { conversation } = await converse(first)
    const saved = conversation.save()
    await first.host.close()
    const lab = await start(server, { ...calling('report'), stateDir: first.stateDir })
    expect(await lab.host.tasks.list()).toMatchObject([{ status: 'working', session: 'chat' }])
    const arrivals: Arrived[] = []
    const again = lab.host.converse({
      session: 'chat',
      saved,
      onTask: ({ problem }) => void arrivals.push({ problem }),
    })
    await expect.poll(async () => (await lab.host.tasks.list())[0]?.followed).toBe(true)
    release()
    await expect.poll(() => arrivals).toEqual([{ problem: undefined }])
    expect(JSON.stringify(again.save().messages)).toContain('forty-two')
  })

  it('is handed over when its conversation is opened, where it ended before', async () => {
    const { server, release } = reports(version)
    const first = await start(server, { ...calling('report') })
    await converse(first)
    await first.host.close()
    release()
    const lab = await start(server, { stateDir: first.stateDir })
    await expect.poll(async () => (await lab.host.tasks.list())[0]?.status).toBe('completed')
    const again = lab.host.converse({ session: 'chat' })
    await expect.poll(() => JSON.stringify(again.save().messages)).toContain('forty-two')
  })

  it('is handed to another conversation where its own is gone, once', async () => {
    const { server, release } = reports(version)
    const first = await start(server, { ...calling('report') })
    await converse(first)
    const [task] = await first.host.tasks.list()
    const label = task?.label ?? ''
    // As long as somebody follows it, it is theirs.
    expect(await first.host.tasks.handTo(label, 'other')).toBe(false)
    await first.host.close()
    const lab = await start(server, { stateDir: first.stateDir, tasks: { resume: false } })
    const other = lab.host.converse({ session: 'other' })
    expect(await lab.host.tasks.handTo(label, 'other')).toBe(true)
    release()
    await expect.poll(() => JSON.stringify(other.save().messages)).toContain('forty-two')
    expect(await lab.host.tasks.handTo(label, 'third')).toBe(false)
    expect(await lab.host.tasks.list()).toMatchObject([{ session: 'other', delivered: true }])
  })

  it('is told to be lost where its server does not know it any more', async () => {
    const first = await start(reports(version).server, calling('report'))
    await converse(first)
    await first.host.close()
    const lab = await start(reports(version).server, { stateDir: first.stateDir })
    const arrivals: Arrived[] = []
    lab.host.converse({ session: 'chat', onTask: ({ problem }) => void arrivals.push({ problem }) })
    await expect.poll(() => arrivals).toEqual([{ problem: 'Its server does not know it any more' }])
    expect(await lab.host.tasks.list()).toMatchObject([{ status: 'failed', delivered: true }])
  })

  it('is cancelled by hand, and its conversation told', async () => {
    const { server, cancelled } = reports(version)
    const lab = await start(server, { ...calling('report') })
    const { arrivals, events } = await converse(lab)
    await lab.host.tasks.cancel(callOf(events, 'reports_report')?.task ?? '')
    await expect.poll(() => arrivals).toEqual([{ problem: expect.stringContaining('cancelled') }])
    await expect.poll(async () => [cancelled, await auditOf(lab)]).toEqual([['report'], ['started', 'cancelled']])
  })
})

describe('the result of a task (sec-402)', () => {
  it.each<[string, (lab: HostLab) => void]>([
    ['a rule', ({ host }) => host.setRules([{ id: 'no reports', outcome: 'deny', effect: 'call', server: 'reports' }])],
  ])('is kept back where %s denies the call by now, and the model is told only that', async (_what, change) => {
    const { server, release } = reports()
    const lab = await start(server, calling('report', { text: 'Oh.' }))
    const { conversation, arrivals } = await converse(lab)
    change(lab)
    release()
    await expect.poll(() => arrivals).toEqual([{ problem: expect.stringContaining('kept back') }])
    await conversation.proceed(() => {})
    expect(lastMessages(lab)).toContain('ended without a result')
    expect(lastMessages(lab)).not.toContain('forty-two')
    const [task] = await lab.host.tasks.list()
    await expect(lab.host.tasks.result(task?.label ?? '')).rejects.toMatchObject({ code: 'denied' })
  })

  it('is fetched by hand, any number of times', async () => {
    const { server, release } = reports()
    const lab = await start(server)
    const started = await lab.host.callAsTask('reports_report', {}, { session: 'hand' })
    release()
    for (const _ of [1, 2]) {
      const { result, server: from } = await lab.host.tasks.result(started.task?.label ?? '')
      expect([from, result.content]).toEqual(['reports', [{ type: 'text', text: 'forty-two' }]])
    }
  })

  it('taints the conversation that it comes into', async () => {
    const { server, release } = reports()
    const lab = await start(server, calling('report'))
    const { arrivals } = await converse(lab)
    const before = lab.host.provenance('chat').isTainted()
    release()
    await expect.poll(() => arrivals).toHaveLength(1)
    expect([before, lab.host.provenance('chat').isTainted()]).toEqual([false, true])
  })
})

describe('who ends a task', () => {
  it('does not by cancelling a later turn; ending the session does (host 31)', async () => {
    const { server, cancelled } = reports()
    const lab = await start(server, calling('report'))
    const { conversation } = await converse(lab)
    conversation.cancel()
    expect((await lab.host.tasks.list()).map(({ status }) => status)).toEqual(['working'])
    lab.host.endSession('chat')
    await expect.poll(() => cancelled).toEqual(['report'])
    await expect.poll(() => lab.host.tasks.list()).toEqual([])
  })

  it('does by giving up while it is waited for', async () => {
    const { server, cancelled } = reports()
    const lab = await start(server)
    const leaving = new AbortController()
    const running = lab.host.callAsTask('reports_report', {}, { attendMs: 60_000, signal: leaving.signal })
    await expect.poll(async () => (await lab.host.tasks.list()).length).toBe(1)
    leaving.abort()
    await expect(running).rejects.toThrow()
    await expect.poll(() => cancelled).toEqual(['report'])
    await expect.poll(async () => (await lab.host.tasks.list())[0]?.status).toBe('cancelled')
  })
})

describe('bounds of tasks (sec-401)', () => {
  it.each([
    ['session', { perSession: 1 }],
    ['server', { perServer: 1 }],
  ])('beyond those of a %s, the caller waits for the result', async (_what, bound) => {
    const { server, release } = reports()
    const lab = await start(server, { tasks: { attendMs: 0, ...bound } })
    const first = await lab.host.callAsTask('reports_report', {}, { session: 'a' })
    const changes: HostTask[] = []
    lab.host.on('task', (task) => void changes.push(task))
    const second = lab.host.callAsTask('reports_report', {}, { session: 'a' })
    await expect.poll(() => new Set(changes.map(({ label }) => label)).size).toBe(1)
    release()
    expect([first.task?.status, (await second).task]).toEqual(['working', undefined])
  })
})

it.each([true, false])(
  'the end of a task is told once, and no one follows it by then (a call that waits: %s)',
  async (waits) => {
    const { server, release } = reports()
    const lab = await start(server, { tasks: { attendMs: 0 } })
    const ends: HostTask[] = []
    const seen: string[] = []
    lab.host.on('task', (task) => {
      seen.push(task.label)
      if (task.status === 'completed') ends.push(task)
    })
    const call = waits
      ? lab.host.call('reports_report', {})
      : lab.host.callAsTask('reports_report', {}, { session: 'a' })
    await expect.poll(() => seen.length).toBeGreaterThan(0)
    release()
    await call
    await expect.poll(() => ends.length).toBeGreaterThan(0)
    const [{ label } = { label: '' }] = ends
    await lab.host.tasks.result(label)
    expect(ends.map(({ followed }) => followed)).toEqual([false])
  },
)

describe('the id of a task (sec-400)', () => {
  it('is in no event, no audit record and no message to the model', async () => {
    const { server } = reports()
    const shown: string[] = []
    const ids: string[] = []
    const lab = await start(server, calling('report'))
    lab.host.on('task', (task) => void shown.push(JSON.stringify(task)))
    lab.host.upstreams.on('message', ({ message }) => {
      const { taskId } = ((message as { result?: { taskId?: string } }).result ?? {}) as { taskId?: string }
      if (taskId !== undefined) ids.push(taskId)
    })
    await converse(lab)
    await expect.poll(() => ids.length).toBeGreaterThan(0)
    const everything = [...shown, lastMessages(lab), await auditText(lab)].join()
    expect(everything).not.toContain(ids[0])
  })

  it('sec-403: is told to no other server that later has the name of the one that gave it out', async () => {
    const { server } = reports()
    const first = await start(server, calling('report'))
    await converse(first)
    await first.host.close()
    const lab = await start(server, {
      stateDir: first.stateDir,
      servers: [defineServer('reports', { kind: 'in-process', module: 'reports', options: { other: true } })],
    })
    const sent: string[] = []
    lab.host.upstreams.on('message', ({ message }) => void sent.push(JSON.stringify(message)))
    lab.host.converse({ session: 'chat' })
    const [task] = await lab.host.tasks.list()
    await expect(lab.host.tasks.result(task?.label ?? '')).rejects.toMatchObject({ code: 'unknown-server' })
    expect(sent.filter((text) => text.includes('tasks/'))).toEqual([])
  })
})
