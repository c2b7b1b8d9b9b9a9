/** Level of access to each resource, as far as the user may grant it. */
import { useId } from 'react'
import { Hint } from '../kit/arrangement.tsx'
import fieldClasses from '../kit/field.module.css'
import { Segmented } from '../kit/segmented.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './permission-levels.module.css'
import { type AccessLevels, accessResources, levelsOf } from './permissions.ts'
import { useResourceName } from './use-resource-name.ts'

interface PermissionLevelsProps {
  levels: AccessLevels
  error?: string
  onChange(levels: AccessLevels): void
}

export const PermissionLevels = ({ levels, error, onChange }: PermissionLevelsProps) => {
  const { keys: texts } = useTexts().access
  const nameOf = useResourceName()
  const { can } = useSession()
  const id = useId()
  const names = { none: texts.noAccess, read: texts.read, write: texts.write }
  const rows = accessResources
    .map((resource) => ({ resource, offered: levelsOf(resource, can) }))
    .filter(({ offered }) => offered.length > 1)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid in every browser
    <div role="group" aria-labelledby={id} className={classes.group}>
      <span id={id} className={fieldClasses.label}>
        {texts.permissions}
      </span>
      <Hint>{texts.permissionsHint}</Hint>
      <ul className={classes.rows}>
        {rows.map(({ resource, offered }) => (
          <li key={resource} className={classes.row}>
            <span>{nameOf(resource)}</span>
            <Segmented
              label={nameOf(resource)}
              options={offered.map((value) => ({ value, label: names[value] }))}
              value={levels[resource] ?? 'none'}
              onChange={(level) => onChange({ ...levels, [resource]: level })}
            />
          </li>
        ))}
      </ul>
      {error !== undefined && <p className={fieldClasses.error}>{error}</p>}
    </div>
  )
}
