/** Settings that components of all types have. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { errorOf } from '../api/field-errors.ts'
import { useTexts } from '../texts/texts.tsx'
import { ComponentPicker } from './component-picker.tsx'
import type { EditorProps } from './editor-props.ts'
import { BooleanField, TextAreaOf, TextFieldOf } from './fields.tsx'
import { GroupSelect } from './group-select.tsx'
import { allComponentsQuery } from './queries.ts'
import { type ComponentData, flatten, treeOf } from './tree.ts'

export const GeneralFields = ({
  component,
  ...props
}: EditorProps & { component: ComponentData | null }) => {
  const { editor } = useTexts().componentScreens
  const { draft, errors, isReadOnly, onChange } = props
  const { data } = useQuery(allComponentsQuery)
  const tree = useMemo(() => treeOf(data ?? []), [data])
  const excluded = useMemo(
    () => flatten(tree).filter(({ id }) => id === component?.id),
    [tree, component?.id],
  )
  return (
    <>
      <TextFieldOf {...props} name="name" maxLength={100} isRequired />
      <TextAreaOf {...props} name="description" rows={2} maxLength={500} />
      {data !== undefined && (
        <GroupSelect
          label={editor.parent}
          tree={tree}
          excluded={excluded}
          value={draft.parentComponentId}
          error={errorOf(errors, 'parentComponentId')}
          isDisabled={isReadOnly}
          onChange={(parentComponentId) => onChange({ ...draft, parentComponentId })}
        />
      )}
      <DependenciesField {...props} component={component} />
      <TextFieldOf {...props} name="icon" hint={editor.iconHint} maxLength={2048} inputMode="url" />
      <div>
        <BooleanField {...props} name="showIconOnStatusPage" />
        <BooleanField {...props} name="isEnabled" hint={editor.isEnabledHint} />
        <BooleanField {...props} name="isMuted" />
      </div>
    </>
  )
}

const DependenciesField = ({
  component,
  draft,
  errors,
  isReadOnly,
  onChange,
}: EditorProps & { component: ComponentData | null }) => {
  const { editor } = useTexts().componentScreens
  return (
    <ComponentPicker
      label={editor.dependsOn}
      hint={editor.dependsOnHint}
      none={editor.noDependencies}
      listed={[]}
      ids={draft.dependsOn}
      error={errorOf(errors, 'dependsOn')}
      excludedIds={component === null ? [] : [component.id]}
      isDisabled={isReadOnly}
      onChange={(dependsOn) => onChange({ ...draft, dependsOn })}
    />
  )
}
