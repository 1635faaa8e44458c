/** Pure: what the fields common to all kinds mean. */
export const metaDescriptions: { readonly [typeOrField: string]: string } = {
  "meta/v1.ObjectMeta": "What objects of every kind have: a name, labels, owners, a version.",
  "meta/v1.ObjectMeta.annotations":
    "Notes by tools and people, as keys and values of any text. They cannot be selected by.",
  "meta/v1.ObjectMeta.creationTimestamp": "When the object was created. Set by the server.",
  "meta/v1.ObjectMeta.deletionGracePeriodSeconds":
    "How long the object is given to end after its deletion was asked for. It can only be " +
    "shortened.",
  "meta/v1.ObjectMeta.deletionTimestamp":
    "Present once deletion has been asked for: when the object should be gone. It goes " +
    "when its grace period and its finalizers are done.",
  "meta/v1.ObjectMeta.finalizers":
    "Names of those who must still do something before the object may go. Each removes " +
    "its own name; no others may be added once deletion has begun.",
  "meta/v1.ObjectMeta.generateName":
    "Beginning of a name to which the server adds five random characters. Used when name is empty.",
  "meta/v1.ObjectMeta.generation":
    "Counts the changes of what is wanted, not those of status or metadata. Set by the server.",
  "meta/v1.ObjectMeta.labels":
    "Keys and values to sort and select objects by. Keys may have a DNS prefix; values " +
    "have at most 63 characters.",
  "meta/v1.ObjectMeta.managedFields":
    "Which manager set which fields, and how. Kept by the server.",
  "meta/v1.ObjectMeta.name":
    "Unique among the objects of this kind in its namespace. Cannot be changed.",
  "meta/v1.ObjectMeta.namespace":
    "The space in which the name is unique. Empty for kinds that belong to the whole " +
    "cluster. Cannot be changed.",
  "meta/v1.ObjectMeta.ownerReferences":
    "The objects this one depends on. When all of them are gone it is deleted too.",
  "meta/v1.ObjectMeta.resourceVersion":
    "Changes with every write. Send it back on an update to be refused if somebody else " +
    "was faster.",
  "meta/v1.ObjectMeta.selfLink": "No longer filled in.",
  "meta/v1.ObjectMeta.uid":
    "Tells this object from earlier and later ones of the same name. Set by the server.",

  "meta/v1.OwnerReference": "An owner: in the same namespace, or of the whole cluster.",
  "meta/v1.OwnerReference.apiVersion": "The group and version of the owner.",
  "meta/v1.OwnerReference.blockOwnerDeletion":
    "Whether an owner deleted in the foreground waits until this object is gone.",
  "meta/v1.OwnerReference.controller":
    "Whether the owner is the one controller of this object. There is at most one.",
  "meta/v1.OwnerReference.kind": "The kind of the owner.",
  "meta/v1.OwnerReference.name": "The name of the owner.",
  "meta/v1.OwnerReference.uid": "The uid of the owner: another object of its name does not count.",

  "meta/v1.LabelSelector":
    "Objects chosen by their labels. All parts must match; an empty selector matches everything.",
  "meta/v1.LabelSelector.matchExpressions":
    "Requirements on single labels, all of which must hold.",
  "meta/v1.LabelSelector.matchLabels": "Labels that must be there with exactly these values.",
  "meta/v1.LabelSelectorRequirement": "What must be true of one label.",
  "meta/v1.LabelSelectorRequirement.key": "The key of the label.",
  "meta/v1.LabelSelectorRequirement.operator":
    "In, NotIn, Exists or DoesNotExist. An absent label also satisfies NotIn.",
  "meta/v1.LabelSelectorRequirement.values":
    "The values for In and NotIn; the other two take none.",

  "meta/v1.ListMeta": "What lists of every kind have.",
  "meta/v1.ListMeta.continue": "If there is more: the token that gets the next page.",
  "meta/v1.ListMeta.remainingItemCount": "How many objects follow after this page, if it is known.",
  "meta/v1.ListMeta.resourceVersion":
    "The version of the list: a watch that begins here misses nothing.",
  "meta/v1.ListMeta.selfLink": "No longer filled in.",

  "meta/v1.ManagedFieldsEntry": "The fields that one manager has set in one way.",
  "meta/v1.ManagedFieldsEntry.apiVersion": "The group and version the fields are named in.",
  "meta/v1.ManagedFieldsEntry.fieldsType": "The notation of the set; FieldsV1.",
  "meta/v1.ManagedFieldsEntry.fieldsV1": "The set of fields as nested keys.",
  "meta/v1.ManagedFieldsEntry.manager": "Who set them.",
  "meta/v1.ManagedFieldsEntry.operation": "Apply or Update.",
  "meta/v1.ManagedFieldsEntry.subresource": "The subresource they were written through, if any.",
  "meta/v1.ManagedFieldsEntry.time": "When the set last changed.",

  "meta/v1.Condition": "One statement about an object, and since when it holds.",
  "meta/v1.Condition.lastTransitionTime": "When the status last became another.",
  "meta/v1.Condition.message": "The reason in a sentence for people.",
  "meta/v1.Condition.observedGeneration": "The generation of the object that was looked at.",
  "meta/v1.Condition.reason": "The reason in one word for programs.",
  "meta/v1.Condition.status": "True, False or Unknown.",
  "meta/v1.Condition.type": "What the statement is about.",

  "meta/v1.DeleteOptions": "How an object is to be deleted.",
  "meta/v1.DeleteOptions.dryRun": "With the value All, nothing is deleted.",
  "meta/v1.DeleteOptions.gracePeriodSeconds":
    "How long the object is given to end; 0 is at once. The kind decides if left out.",
  "meta/v1.DeleteOptions.orphanDependents": "Superseded by propagationPolicy.",
  "meta/v1.DeleteOptions.preconditions": "What must be true of the object, or it is not deleted.",
  "meta/v1.DeleteOptions.propagationPolicy":
    "Orphan leaves the objects it owns, Background deletes them afterwards, Foreground " +
    "deletes them first.",
  "meta/v1.Preconditions": "What must be true of an object before it is deleted.",
  "meta/v1.Preconditions.resourceVersion": "It still has this version.",
  "meta/v1.Preconditions.uid": "It is still this very object.",
  "meta/v1.Time": "A point in time in RFC 3339 notation, to the second.",
  "meta/v1.MicroTime": "A point in time in RFC 3339 notation, to the microsecond.",
  "api/resource.Quantity":
    "An amount such as 250m, 1.5, 64Mi or 2G. The server prints a canonical form.",
};
