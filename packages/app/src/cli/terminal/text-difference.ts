/** What changes in a file, for a person to look at before it is written: the lines that differ, with those around. */

const AROUND = 2

export function differenceOf(before: string, after: string): readonly string[] {
  const old = linesOf(before)
  const fresh = linesOf(after)
  let start = 0
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++
  let end = 0
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  ) {
    end++
  }
  if (start === old.length && start === fresh.length) return []
  return [
    ...fresh.slice(Math.max(0, start - AROUND), start).map((line) => `  ${line}`),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...fresh.slice(start, fresh.length - end).map((line) => `+ ${line}`),
    ...fresh.slice(fresh.length - end, fresh.length - end + AROUND).map((line) => `  ${line}`),
  ]
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}
