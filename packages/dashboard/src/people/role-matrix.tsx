/** Permissions of a role: a row per resource, a column per action. */
import type { Action, Right } from '@status-page/contracts'
import { accessResources, type Resource, rightOf } from '../keys/permissions.ts'
import { useResourceName } from '../keys/use-resource-name.ts'
import { Checkbox } from '../kit/checkbox.tsx'
import { Icon } from '../kit/icon.tsx'
import { ScrollRegion } from '../kit/scroll-region.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './role-matrix.module.css'

interface RoleMatrixProps {
  permissions: readonly Right[]
  isReadOnly: boolean
  onChange(permissions: Right[]): void
}

export const RoleMatrix = ({ permissions, isReadOnly, onChange }: RoleMatrixProps) => {
  const { roles: texts, actions } = useTexts().access
  const { labelled } = useFormats()
  const nameOf = useResourceName()
  const shownActions = Object.keys(actions) as Action[]
  return (
    <div className={classes.matrix}>
      <ScrollRegion label={texts.matrix}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{texts.resource}</th>
              {shownActions.map((action) => (
                <th key={action} scope="col" className={classes.cell}>
                  {actions[action]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {accessResources.map((resource) => (
              <tr key={resource}>
                <th scope="row">{nameOf(resource)}</th>
                {shownActions.map((action) => (
                  <td key={action} className={classes.cell}>
                    {(resource !== 'audit' || action === 'VIEW') && (
                      <Cell
                        label={labelled(nameOf(resource), actions[action])}
                        right={rightOf(resource, action)}
                        impliedBy={action === 'VIEW' ? rightsBelow(resource) : []}
                        permissions={permissions}
                        isReadOnly={isReadOnly}
                        onChange={onChange}
                      />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </div>
  )
}

/** Rights that include viewing the resource. */
const rightsBelow = (resource: Resource): Right[] =>
  (['CREATE', 'UPDATE', 'DELETE'] as const).map((action) => rightOf(resource, action))

interface CellProps extends RoleMatrixProps {
  label: string
  right: Right
  impliedBy: readonly Right[]
}

const Cell = ({ label, right, impliedBy, permissions, isReadOnly, onChange }: CellProps) => {
  const { roles: texts } = useTexts().access
  const { can } = useSession()
  const isImplied = impliedBy.some((one) => permissions.includes(one))
  const isGranted = isImplied || permissions.includes(right)
  if (isReadOnly) {
    return (
      <>
        {isGranted && <Icon name="check" />}
        <span className="visually-hidden">{isGranted ? texts.granted : texts.notGranted}</span>
      </>
    )
  }
  const toggle = (isOn: boolean) =>
    onChange(isOn ? [...permissions, right] : permissions.filter((one) => one !== right))
  return (
    <Checkbox
      aria-label={label}
      isSelected={isGranted}
      // The service refuses to grant a right that the user lacks; it can be taken away.
      isDisabled={isImplied || (!isGranted && !can(right))}
      onChange={toggle}
    />
  )
}
