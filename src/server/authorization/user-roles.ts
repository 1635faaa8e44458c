/** Pure: the default roles for people: administrators, editors, viewers. */
import { type DefaultRole, pathRule, READ, READ_WRITE, rule, WRITE } from "./short-role.ts";

const AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-";
const TO_ADMIN = { [`${AGGREGATE}admin`]: "true" };
const TO_EDIT = { [`${AGGREGATE}edit`]: "true" };
const TO_VIEW = { [`${AGGREGATE}view`]: "true" };

const OWN_KINDS = "jobtemplates scheduledjobs workflows";

export const USER_ROLES: readonly DefaultRole[] = [
  { name: "cluster-admin", rules: [rule("*", "*", "*"), pathRule("*", "*")] },
  {
    name: "system:discovery",
    rules: [
      pathRule(
        "get",
        "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/",
      ),
    ],
  },
  {
    name: "system:monitoring",
    rules: [
      pathRule(
        "get",
        "/healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/*",
      ),
    ],
  },
  {
    name: "system:basic-user",
    rules: [
      rule("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
      rule("create", "authentication.k8s.io", "selfsubjectreviews"),
    ],
  },
  {
    name: "system:public-info-viewer",
    rules: [pathRule("get", "/healthz /livez /readyz /version /version/")],
  },
  { name: "admin", gathers: `${AGGREGATE}admin` },
  { name: "edit", gathers: `${AGGREGATE}edit`, labels: TO_ADMIN },
  { name: "view", gathers: `${AGGREGATE}view`, labels: TO_EDIT },
  {
    name: "system:aggregate-to-admin",
    labels: TO_ADMIN,
    rules: [
      rule("create", "authorization.k8s.io", "localsubjectaccessreviews"),
      rule(READ_WRITE, "rbac.authorization.k8s.io", "rolebindings roles"),
    ],
  },
  {
    name: "system:aggregate-to-edit",
    labels: TO_EDIT,
    rules: [
      rule(READ, "", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
      rule("impersonate", "", "serviceaccounts"),
      rule(WRITE, "", "pods pods/attach pods/exec pods/portforward pods/proxy"),
      rule("create", "", "pods/eviction"),
      rule(
        WRITE,
        "",
        "configmaps events persistentvolumeclaims replicationcontrollers " +
          "replicationcontrollers/scale secrets serviceaccounts services services/proxy",
      ),
      rule("create", "", "serviceaccounts/token"),
      rule(
        WRITE,
        "apps",
        "daemonsets deployments deployments/rollback deployments/scale replicasets " +
          "replicasets/scale statefulsets statefulsets/scale",
      ),
      rule(WRITE, "autoscaling", "horizontalpodautoscalers"),
      rule(WRITE, "batch", "cronjobs jobs"),
      rule(WRITE, "policy", "poddisruptionbudgets"),
      rule(WRITE, "networking.k8s.io", "ingresses networkpolicies"),
      rule(READ_WRITE, "coordination.k8s.io", "leases"),
    ],
  },
  {
    name: "system:aggregate-to-view",
    labels: TO_VIEW,
    rules: [
      rule(
        READ,
        "",
        "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods " +
          "replicationcontrollers replicationcontrollers/scale serviceaccounts services " +
          "services/status",
      ),
      rule(
        READ,
        "",
        "bindings events limitranges namespaces/status pods/log pods/status " +
          "replicationcontrollers/status resourcequotas resourcequotas/status",
      ),
      rule(READ, "", "namespaces"),
      rule(READ, "discovery.k8s.io", "endpointslices"),
      rule(
        READ,
        "apps",
        "controllerrevisions daemonsets daemonsets/status deployments deployments/scale " +
          "deployments/status replicasets replicasets/scale replicasets/status statefulsets " +
          "statefulsets/scale statefulsets/status",
      ),
      rule(READ, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
      rule(READ, "batch", "cronjobs cronjobs/status jobs jobs/status"),
      rule(READ, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
      rule(READ, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
    ],
  },
  {
    name: "tally:aggregate-to-edit",
    labels: TO_EDIT,
    rules: [
      rule(WRITE, "tallyjob.io", OWN_KINDS),
      // Together with the rights above, this allows creating and deleting Jobs, ConfigMaps and
      // Secrets.
      rule("create", "tallyjob.io", "jobs/submission"),
    ],
  },
  {
    name: "tally:aggregate-to-view",
    labels: TO_VIEW,
    rules: [rule(READ, "tallyjob.io", `${OWN_KINDS} jobs/indexes`)],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [
      pathRule(
        "get",
        "/.well-known/openid-configuration /.well-known/openid-configuration/ " +
          "/openid/v1/jwks /openid/v1/jwks/",
      ),
    ],
  },
];
