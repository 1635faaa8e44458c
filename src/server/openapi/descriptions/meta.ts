/** Pure: descriptions of the common fields of all kinds. */
export const metaDescriptions: { readonly [typeOrField: string]: string } = {
  "meta/v1.ObjectMeta": "Metadata of objects of every kind: a name, labels, owners, a version.",
  "meta/v1.ObjectMeta.annotations":
    "Additional information from tools and people, as keys and values with any text. " +
    "Selectors cannot use them.",
  "meta/v1.ObjectMeta.creationTimestamp": "When the object was created. Set by the server.",
  "meta/v1.ObjectMeta.deletionGracePeriodSeconds":
    "How long the object may take to terminate after its deletion was requested. It can only " +
    "be shortened.",
  "meta/v1.ObjectMeta.deletionTimestamp":
    "Set once deletion was requested: when the object should be removed. It is removed when " +
    "its grace period has passed and its finalizers are gone.",
  "meta/v1.ObjectMeta.finalizers":
    "Names of components that must do something before the object is removed. Each removes " +
    "its own name; none can be added once deletion was requested.",
  "meta/v1.ObjectMeta.generateName":
    "A prefix to which the server adds five random characters. Used if name is empty.",
  "meta/v1.ObjectMeta.generation":
    "Counts the changes of the desired state, not those of status or metadata. Set by the server.",
  "meta/v1.ObjectMeta.labels":
    "Keys and values to organise and select objects. Keys may have a DNS prefix; values have " +
    "at most 63 characters.",
  "meta/v1.ObjectMeta.managedFields":
    "Which manager set which fields, and how. Kept by the server.",
  "meta/v1.ObjectMeta.name":
    "Unique among the objects of this kind in its namespace. Cannot be changed.",
  "meta/v1.ObjectMeta.namespace":
    "The space in which the name is unique. Empty for kinds that belong to the whole " +
    "cluster. Cannot be changed.",
  "meta/v1.ObjectMeta.ownerReferences":
    "The objects this one depends on. When all of them are deleted, it is deleted too.",
  "meta/v1.ObjectMeta.resourceVersion":
    "Changes with every write. Send it with an update to have it rejected if the object has " +
    "changed since.",
  "meta/v1.ObjectMeta.selfLink": "No longer set.",
  "meta/v1.ObjectMeta.uid":
    "Distinguishes this object from earlier and later ones of the same name. Set by the server.",

  "meta/v1.OwnerReference": "An owner: in the same namespace, or cluster-scoped.",
  "meta/v1.OwnerReference.apiVersion": "The group and version of the owner.",
  "meta/v1.OwnerReference.blockOwnerDeletion":
    "Whether foreground deletion of the owner waits until this object is removed.",
  "meta/v1.OwnerReference.controller":
    "Whether the owner is the managing controller of this object. There is at most one.",
  "meta/v1.OwnerReference.kind": "The kind of the owner.",
  "meta/v1.OwnerReference.name": "The name of the owner.",
  "meta/v1.OwnerReference.uid":
    "The uid of the owner. Another object of the same name does not count.",

  "meta/v1.LabelSelector":
    "Selects objects by their labels. All parts must match; an empty selector matches everything.",
  "meta/v1.LabelSelector.matchExpressions":
    "Requirements on single labels, all of which must hold.",
  "meta/v1.LabelSelector.matchLabels": "Labels that must exist with exactly these values.",
  "meta/v1.LabelSelectorRequirement": "A requirement on one label.",
  "meta/v1.LabelSelectorRequirement.key": "The key of the label.",
  "meta/v1.LabelSelectorRequirement.operator":
    "In, NotIn, Exists or DoesNotExist. An absent label also satisfies NotIn.",
  "meta/v1.LabelSelectorRequirement.values":
    "The values for In and NotIn; the other two take none.",

  "meta/v1.ListMeta": "Metadata of lists of every kind.",
  "meta/v1.ListMeta.continue": "If there are more objects: the token to get the next page.",
  "meta/v1.ListMeta.remainingItemCount": "How many objects follow after this page, if known.",
  "meta/v1.ListMeta.resourceVersion":
    "The version of the list: a watch that starts here misses nothing.",
  "meta/v1.ListMeta.selfLink": "No longer set.",

  "meta/v1.ManagedFieldsEntry": "The fields that one manager has set by one operation.",
  "meta/v1.ManagedFieldsEntry.apiVersion": "The group and version the fields are named in.",
  "meta/v1.ManagedFieldsEntry.fieldsType": "The notation of the set; FieldsV1.",
  "meta/v1.ManagedFieldsEntry.fieldsV1": "The set of fields as nested keys.",
  "meta/v1.ManagedFieldsEntry.manager": "The manager that set them.",
  "meta/v1.ManagedFieldsEntry.operation": "Apply or Update.",
  "meta/v1.ManagedFieldsEntry.subresource": "The subresource they were written through, if any.",
  "meta/v1.ManagedFieldsEntry.time": "When the set last changed.",

  "meta/v1.Condition": "A condition of an object, and since when it has its status.",
  "meta/v1.Condition.lastTransitionTime": "When the status last changed.",
  "meta/v1.Condition.message": "The reason as a sentence for people.",
  "meta/v1.Condition.observedGeneration": "The generation of the object that was observed.",
  "meta/v1.Condition.reason": "The reason as one word for programs.",
  "meta/v1.Condition.status": "True, False or Unknown.",
  "meta/v1.Condition.type": "The type of the condition.",

  "meta/v1.DeleteOptions": "How an object is to be deleted.",
  "meta/v1.DeleteOptions.dryRun": "With the value All, nothing is deleted.",
  "meta/v1.DeleteOptions.gracePeriodSeconds":
    "How long the object may take to terminate; 0 removes it at once. The default depends on " +
    "the kind.",
  "meta/v1.DeleteOptions.orphanDependents": "Superseded by propagationPolicy.",
  "meta/v1.DeleteOptions.preconditions":
    "Conditions that the object must meet, or it is not deleted.",
  "meta/v1.DeleteOptions.propagationPolicy":
    "Orphan leaves the objects it owns, Background deletes them afterwards, Foreground " +
    "deletes them first.",
  "meta/v1.Preconditions": "Conditions that an object must meet to be deleted.",
  "meta/v1.Preconditions.resourceVersion": "The resourceVersion that the object must have.",
  "meta/v1.Preconditions.uid": "The uid that the object must have.",
  "meta/v1.Time": "A point in time in RFC 3339 notation, to the second.",
  "meta/v1.MicroTime": "A point in time in RFC 3339 notation, to the microsecond.",
  "api/resource.Quantity":
    "An amount such as 250m, 1.5, 64Mi or 2G. The server prints a canonical form.",
};
