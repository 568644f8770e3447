/** A field for which the server proposes values while they are typed. A server that has none to propose is no problem. */

import { Autocomplete, Loader } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ApiParams } from 'portico/web-api'
import { useEffect, useState } from 'react'
import { call } from '../app/data/api.ts'
import { toVisible } from '../app/text/text.ts'
import { cutText } from '../parts/text-safety.ts'

interface CompletingFieldProps {
  readonly server: string
  readonly reference: ApiParams<'complete'>['params']['ref']
  readonly name: string
  readonly label: string
  readonly description?: string | undefined
  readonly required?: boolean
  readonly error?: string | undefined
  readonly value: string
  /** What the other fields hold; proposals may depend on it. */
  readonly others: { readonly [name: string]: string }
  readonly onChange: (value: string) => void
}

export function CompletingField(props: CompletingFieldProps) {
  const { server, reference, name, label, description, required, error, value, others, onChange } = props
  const [isFocused, setFocused] = useState(false)
  const [typed] = useDebouncedValue(value, 180)
  const [proposals, setProposals] = useState<readonly string[]>([])
  const [isBusy, setBusy] = useState(false)
  const known = JSON.stringify([reference, others])
  useEffect(() => {
    if (!isFocused) return
    const abort = new AbortController()
    // Made from these two just above.
    const [ref, context] = JSON.parse(known) as [typeof reference, typeof others]
    const params = { ref, argument: { name, value: typed }, context: { arguments: context } }
    setBusy(true)
    call('complete', { server, params }, abort.signal)
      .then(({ completion }) => setProposals(completion.values.slice(0, 100)))
      .catch(() => setProposals([]))
      .finally(() => {
        if (!abort.signal.aborted) setBusy(false)
      })
    return () => abort.abort()
  }, [isFocused, typed, known, name, server])
  // What hides cannot be chosen: it would not be what it looks like.
  const data = [...new Set(proposals)].filter((one) => one !== '' && one.length <= 500 && toVisible(one) === one)
  return (
    <Autocomplete
      label={toVisible(label)}
      description={description === undefined ? undefined : toVisible(cutText(description, 500).text)}
      withAsterisk={required === true}
      error={error}
      data={data}
      // The server has chosen already; it may know more than the letters.
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      rightSection={isBusy && isFocused ? <Loader size={14} aria-label="Loading suggestions" /> : undefined}
      maxDropdownHeight={260}
    />
  )
}
