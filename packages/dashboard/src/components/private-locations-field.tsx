/** Choice of the private locations of a check, which are entries of its `locations`. */
import { useQuery } from '@tanstack/react-query'
import { locationsQuery } from '../api/queries.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { CheckboxList } from '../kit/checkbox-list.tsx'
import { useTexts } from '../texts/texts.tsx'
import { locationsOfText, textOfLocations } from './draft.ts'
import type { EditorProps } from './editor-props.ts'

/** Shown to users who may list the locations, once there is one. */
export const PrivateLocationsField = ({ draft, isReadOnly, onChange }: EditorProps) => {
  const { locations: texts } = useTexts()
  const { data, error } = useQuery(locationsQuery)
  const offered = (data?.data ?? []).map(({ location, name }) => ({ value: location, label: name }))
  if (offered.length === 0) return <ProblemNote error={error} />
  const chosen = locationsOfText(draft.locations)
  const isOffered = (location: string) => offered.some(({ value }) => value === location)
  const choose = (selected: readonly string[]) => {
    const others = chosen.filter((location) => !isOffered(location))
    onChange({ ...draft, locations: textOfLocations([...others, ...selected]) })
  }
  return (
    <CheckboxList
      label={texts.title}
      hint={texts.choiceHint}
      options={offered}
      value={chosen.filter(isOffered)}
      isDisabled={isReadOnly}
      onChange={choose}
    />
  )
}
