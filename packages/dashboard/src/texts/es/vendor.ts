/** Spanish texts of the vendors that components follow. */
import type { vendor as model } from '../en/vendor.ts'

export const vendor: typeof model = {
  title: 'Informe del proveedor',
  pending: 'Se está leyendo la página.',
  noData: 'Sin datos',
  url: 'Página de estado del proveedor',
  urlHint:
    'Dirección de una página de estado (Statuspage, incident.io, Instatus y otras), de su JSON o de una fuente RSS o Atom; vacío: ninguna',
  component: 'Componente del proveedor',
  componentHint: 'Nombre o id; vacío: toda la página',
  mode: 'Efecto del informe',
  modes: {
    mirror: 'Reflejar el estado',
    draft: 'Preparar un incidente',
    note: 'Solo mostrar',
  },
  modeHints: {
    mirror: 'El estado del componente sigue al del proveedor.',
    draft:
      'Una interrupción del proveedor crea un borrador de incidente; las páginas de estado no muestran el informe.',
    note: 'Las páginas de estado muestran el informe junto al componente; su estado no cambia.',
  },
  errors: {
    blocked: 'La dirección no es pública',
    dns_error: 'No se encontró el nombre de host',
    connect_error: 'El servidor no acepta conexiones',
    tls_error: 'El certificado no es válido',
    protocol_error: 'La respuesta no es válida',
    timeout: 'Sin respuesta a tiempo',
    too_large: 'El documento supera los 2 MiB',
    too_complex: 'El documento es demasiado complejo',
    too_many_redirects: 'Demasiadas redirecciones',
    error_response: 'El servidor respondió con un error',
    unknown_format: 'El documento tiene un formato desconocido',
    component_not_found: 'La página no tiene ese componente',
  },
}
