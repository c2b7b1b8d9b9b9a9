/** Choice of a parent among the components; services and present parents come first. */
import { LazyComboBox } from '../kit/lazy-combo-box.tsx'
import { useTexts } from '../texts/texts.tsx'
import { descendantsOf, flatten, type TreeNode } from './tree.ts'

interface GroupSelectProps {
  label: string
  tree: readonly TreeNode[]
  /** Components that cannot be the parent, and with them those below them. */
  excluded: readonly TreeNode[]
  value: string | null
  error?: string
  isDisabled?: boolean
  onChange(parentId: string | null): void
}

const TOP_LEVEL = 'top'

export const GroupSelect = (props: GroupSelectProps) => {
  const { label, tree, excluded, value, error, isDisabled, onChange } = props
  const { editor } = useTexts().componentScreens
  const hidden = new Set(
    excluded.flatMap((node) => [node, ...descendantsOf(node)]).map(({ id }) => id),
  )
  const nodes = flatten(tree).filter(({ id }) => !hidden.has(id))
  const isGroup = ({ component, children }: TreeNode) =>
    children.length > 0 || component.type === 'SERVICE'
  const ordered = [...nodes.filter(isGroup), ...nodes.filter((node) => !isGroup(node))]
  return (
    <LazyComboBox
      label={label}
      options={[
        { value: TOP_LEVEL, label: editor.noParent },
        ...ordered.map(({ id, component }) => ({ value: id, label: component.name })),
      ]}
      value={value ?? TOP_LEVEL}
      error={error}
      isDisabled={isDisabled}
      onChange={(id) => onChange(id === TOP_LEVEL ? null : id)}
    />
  )
}
