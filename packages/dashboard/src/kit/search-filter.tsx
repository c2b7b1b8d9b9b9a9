/** Search in a list that the service filters: a text takes effect after a pause in the input. */
import { useEffect, useState } from 'react'
import { SearchField } from './search-field.tsx'

const SEARCH_AFTER_MS = 300

interface SearchFilterProps {
  label: string
  /** Text that is in effect; empty for none. */
  value: string
  onChange(text: string): void
}

export const SearchFilter = ({ label, value, onChange }: SearchFilterProps) => {
  const [text, setText] = useState(value)
  // The address also changes by a reset and by the history of the browser.
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), SEARCH_AFTER_MS)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return <SearchField label={label} value={text} onChange={setText} />
}
