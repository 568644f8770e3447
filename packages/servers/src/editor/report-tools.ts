/** Test results of the folder: a tool and resources, with notices when a runner has written its report again. */

import { resource, type Server, tool } from '@portico/sdk/server'
import { PathError } from '../files/confine.ts'
import { type FileWatch, watchFiles } from '../machine/file-watch.ts'
import { readRegularText } from '../machine/regular-file.ts'
import { onSubscriptions } from '../subscribers.ts'
import { START_INPUT } from '../vendor/vendor-host.ts'
import { answer, bounded, type EditorHost } from './host.ts'
import { diagnosticLines } from './read-tools.ts'
import { readReport, reportText } from './test-reports.ts'

/** A run of many tests is larger than a source file. */
const MAX_REPORT_BYTES = 5_000_000
const TESTS_URI = 'editor://tests'
const DIAGNOSTICS_URI = 'editor://diagnostics'

export function createReportTool(host: EditorHost) {
  const input = { type: 'object', properties: { start: START_INPUT }, additionalProperties: false } as const
  const description = 'The results of the last test run, from the reports that the runner wrote'
  const traits = { readOnly: true, idempotent: true, openWorld: false }
  return tool({ title: 'Test results', description, input, ...traits }, async ({ start }) =>
    answer(host, await allReports(host), start),
  )
}

export function createReportResources(host: EditorHost) {
  return {
    diagnostics: resource(
      {
        uri: DIAGNOSTICS_URI,
        title: 'Diagnostics',
        description: 'All that language servers have found wrong so far',
        mimeType: 'text/plain',
      },
      () => diagnosed(host),
    ),
    ...(host.settings.reports.length > 0 && {
      tests: resource(
        {
          uri: TESTS_URI,
          title: 'Test results',
          description: 'The results of the last test run',
          mimeType: 'text/plain',
        },
        async () => bounded(host, await allReports(host)),
      ),
    }),
  }
}

async function diagnosed(host: EditorHost): Promise<string> {
  const lines: string[] = []
  for (const [uri, found, leftOut] of host.clients().flatMap(({ diagnostics }) => diagnostics.all())) {
    const path = await host.inFolder(uri)
    if (path !== undefined) lines.push(...diagnosticLines(host.name(path), found, leftOut))
  }
  return bounded(host, lines.join('\n')) || 'Nothing is wrong with the files that were looked at.'
}

async function allReports(host: EditorHost): Promise<string> {
  const texts = await Promise.all(host.settings.reports.map((file) => oneReport(host, file)))
  return texts.join('\n\n')
}

async function oneReport(host: EditorHost, file: string): Promise<string> {
  try {
    const { path } = await host.file(host.fromFolder(file), Math.max(MAX_REPORT_BYTES, host.settings.maxFileBytes))
    return reportText(file, await readReport(path, await readRegularText(path)))
  } catch (error) {
    if (error instanceof PathError && error.fault === 'absent') return `${file}: there is no report yet`
    return `${file}: it cannot be read (${error instanceof Error ? error.message : 'unknown'})`
  }
}

interface ReportNotices {
  diagnosticsChanged(): void
  close(): Promise<void>
}

/** Tells subscribers when a report was written, or language servers found something; watches only while somebody listens. */
export function noticeChanges(server: Server, host: EditorHost): ReportNotices {
  let watcher: FileWatch | undefined
  const { reports } = host.settings
  const held = new Map<string, number>()
  const closeWatcher = async (): Promise<void> => {
    const closing = watcher
    watcher = undefined
    await closing?.close()
  }
  onSubscriptions(server, {
    hold(uri) {
      held.set(uri, (held.get(uri) ?? 0) + 1)
      if (uri !== TESTS_URI || reports.length === 0) return
      watcher ??= watchFiles(
        reports.map((file) => host.fromFolder(file)),
        {},
        () => server.changed(TESTS_URI),
      )
      return watcher.ready
    },
    release(uri) {
      const count = (held.get(uri) ?? 1) - 1
      if (count > 0) held.set(uri, count)
      else held.delete(uri)
      if (uri !== TESTS_URI || count > 0) return
      void closeWatcher()
    },
  })
  return {
    diagnosticsChanged: () => {
      if (held.has(DIAGNOSTICS_URI)) server.changed(DIAGNOSTICS_URI)
    },
    close: closeWatcher,
  }
}
