/** Fields of the settings of a component, by its type. */
import type { ComponentType } from 'react'
import { Card } from '../kit/card.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { CheckKindChoice } from './check-kind-choice.tsx'
import { checkKindOf, hasAgents } from './check-kinds.ts'
import { type ComponentVariant, variantOf } from './component-types.ts'
import { ConditionsField } from './conditions-field.tsx'
import type { ComponentKind } from './draft.ts'
import classes from './editor.module.css'
import type { EditorProps } from './editor-props.ts'
import { BooleanField, NumberFields, TextFieldOf } from './fields.tsx'
import { GeneralFields } from './general-fields.tsx'
import { LazyHeartbeatFields } from './lazy-heartbeat.tsx'
import { LazyPrivateLocations } from './lazy-private-locations.tsx'
import { MetricFields } from './metric-fields.tsx'
import { RequestFields } from './request-fields.tsx'
import type { ComponentData } from './tree.ts'
import { UpstreamFields } from './upstream-fields.tsx'

interface EditorFieldsProps extends EditorProps {
  type: ComponentKind
  /** Null for a new component. */
  component: ComponentData | null
}

export const EditorFields = ({ type, component, ...props }: EditorFieldsProps) => {
  const { sections } = useTexts().componentScreens.editor
  const { section, Fields } = sectionsByVariant[variantOf({ type, kind: props.draft.kind })]
  return (
    <div className={classes.sections}>
      {type === 'ENDPOINT' && component === null && <CheckKindChoice {...props} />}
      <Card title={sections.general}>
        <div className={classes.fields}>
          <GeneralFields {...props} component={component} />
        </div>
      </Card>
      <Card title={sections[section]}>
        <div className={classes.fields}>
          <Fields {...props} />
        </div>
      </Card>
      {section === 'request' && <CheckCards {...props} />}
      {type === 'ENDPOINT' && <IncidentsCard {...props} />}
    </div>
  )
}

interface VariantSection {
  section: 'upstream' | 'metric' | 'request' | 'heartbeat'
  Fields: ComponentType<EditorProps>
}

const sectionsByVariant: Record<ComponentVariant, VariantSection> = {
  SERVICE: { section: 'upstream', Fields: UpstreamFields },
  METRIC: { section: 'metric', Fields: MetricFields },
  request: { section: 'request', Fields: RequestFields },
  heartbeat: { section: 'heartbeat', Fields: LazyHeartbeatFields },
}

/** Conditions and schedule of a check that sends requests. */
const CheckCards = (props: EditorProps) => {
  const { sections, ...editor } = useTexts().componentScreens.editor
  const { can } = useSession()
  const isForAgents = can('ORGANIZATION_VIEW') && hasAgents(checkKindOf(props.draft))
  return (
    <>
      <Card title={sections.conditions}>
        <div className={classes.fields}>
          <ConditionsField {...props} />
        </div>
      </Card>
      <Card title={sections.schedule}>
        <div className={classes.fields}>
          <NumberFields
            {...props}
            names={['checkInterval', 'timeout', 'failureThreshold', 'recoveryThreshold']}
          />
          <TextFieldOf {...props} name="locations" hint={editor.locationsHint} />
          {isForAgents && <LazyPrivateLocations {...props} />}
          <TextFieldOf {...props} name="locationQuorum" hint={editor.locationQuorumHint} />
        </div>
      </Card>
    </>
  )
}

const IncidentsCard = (props: EditorProps) => {
  const { sections } = useTexts().componentScreens.editor
  return (
    <Card title={sections.incidents}>
      <div className={classes.fields}>
        <BooleanField {...props} name="autoCreateIncident" />
        <BooleanField {...props} name="autoResolve" />
      </div>
    </Card>
  )
}
