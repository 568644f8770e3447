/** All rules as text. What is no list of objects is not taken over. */

import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { isRecord, parseJson, toJson } from '../parts/json.ts'
import type { RuleJson } from './rule-model.ts'

interface RulesJsonProps {
  readonly rules: readonly RuleJson[]
  readonly onChange: (rules: readonly RuleJson[]) => void
}

export function RulesJson({ rules, onChange }: RulesJsonProps) {
  const [text, setText] = useState(() => toJson(rules))
  const [problem, setProblem] = useState<string>()
  const change = (next: string) => {
    setText(next)
    const read = parseJson(next)
    if (!read.ok) return setProblem(read.problem)
    if (!Array.isArray(read.value) || !read.value.every(isRecord)) return setProblem('Must be a list of rules')
    setProblem(undefined)
    // Objects, as was looked at just above.
    onChange(read.value as readonly RuleJson[])
  }
  return (
    <Textarea
      label="Rules"
      description="A list of objects: id, outcome, and the conditions that must all hold"
      value={text}
      error={problem}
      onChange={(event) => change(event.currentTarget.value)}
      autosize
      minRows={12}
      maxRows={36}
      spellCheck={false}
      styles={{
        input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 'var(--mantine-font-size-sm)' },
      }}
    />
  )
}
