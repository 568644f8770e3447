/** Reports that test runners write: JUnit's XML, TAP, and the JSON of vitest and jest, read into one shape. */

import { toLine, toList, toObject, toText } from '../vendor/values.ts'

interface TestReport {
  readonly passed: number
  /** How many, of which the first are described. */
  readonly failed: number
  readonly failures: readonly FailedTest[]
  readonly skipped: number
}

interface FailedTest {
  readonly name: string
  readonly message: string
}

const MAX_FAILURES = 200

/** Throws for what is none of them. */
export async function readReport(file: string, content: string): Promise<TestReport> {
  if (/\.xml$/i.test(file)) return readJunit(content)
  if (/\.tap$/i.test(file) || /^(TAP version \d+|\d+\.\.\d+)/m.test(content)) return readTap(content)
  return readJson(content)
}

async function readJunit(content: string): Promise<TestReport> {
  const { DOMParser } = await import('linkedom')
  const document = new DOMParser().parseFromString(content, 'text/xml')
  const cases = [...document.querySelectorAll('testcase')]
  const failures: FailedTest[] = []
  let failed = 0
  let skipped = 0
  for (const one of cases) {
    const failure = one.querySelector('failure') ?? one.querySelector('error')
    if (one.querySelector('skipped') !== null) skipped++
    else if (failure !== null && failed++ < MAX_FAILURES) {
      const name = [one.getAttribute('classname'), one.getAttribute('name')].filter(Boolean).join(' › ')
      failures.push({
        name: toLine(name, 300),
        message: unescaped(failure.getAttribute('message') || failure.textContent || '').trim(),
      })
    }
  }
  return { passed: cases.length - failed - skipped, failed, failures, skipped }
}

/** The parser leaves references in attributes as they are written. */
function unescaped(text: string): string {
  const signs: { readonly [name: string]: string } = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_whole, name: string) => signs[name] ?? '')
}

function readTap(content: string): TestReport {
  const failures: FailedTest[] = []
  let failed = 0
  let passed = 0
  let skipped = 0
  let current: string[] | undefined
  for (const line of content.split('\n')) {
    const [, not, name = ''] = /^\s{0,8}(not )?ok\b\s*\d*\s*-?\s*(.*)$/.exec(line) ?? []
    if (/^\s{0,8}(not )?ok\b/.test(line)) {
      current = undefined
      if (/#\s*(skip|todo)/i.test(name)) skipped++
      else if (not === undefined) passed++
      else if (failed++ < MAX_FAILURES) {
        current = []
        const lines = current
        failures.push({
          name: toLine(name, 300),
          get message() {
            return lines.join('\n')
          },
        })
      }
    } else if (current !== undefined && current.length < 40) current.push(line)
  }
  return { passed, failed, failures, skipped }
}

function readJson(content: string): TestReport {
  const { testResults } = toObject(JSON.parse(content))
  if (!Array.isArray(testResults)) throw new Error('is no report of JUnit, TAP, vitest or jest')
  const results = toList(testResults).flatMap(({ assertionResults }) => toList(assertionResults))
  const failed = results.filter(({ status }) => status === 'failed')
  const passed = results.filter(({ status }) => status === 'passed').length
  return {
    passed,
    skipped: results.length - passed - failed.length,
    failed: failed.length,
    failures: failed.slice(0, MAX_FAILURES).map(({ fullName, title, failureMessages }) => ({
      name: toLine(fullName ?? title, 300),
      message: (Array.isArray(failureMessages) ? failureMessages.map(toText) : []).join('\n'),
    })),
  }
}

/** A report as a model reads it. */
export function reportText(file: string, { passed, failed, failures, skipped }: TestReport): string {
  const heading = `${file}: ${passed} passed, ${failed} failed, ${skipped} skipped`
  const details = failures.map(
    ({ name, message }) => `✗ ${name}\n    ${message.trim().slice(0, 1000).replaceAll('\n', '\n    ')}`,
  )
  const left = failed - failures.length
  return [heading, ...details, ...(left > 0 ? [`[${left} more failed tests are not described.]`] : [])].join('\n')
}
