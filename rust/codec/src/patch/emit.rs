//! The tree as a plan. Bytes that lie next to each other in a source become one piece.

use super::node::{Body, Child, Node};
use super::source::{Raw, Sources};
use crate::plan::Plan;

/// Walks a tree. Those nodes whose parts are not all written are a stack: nothing calls itself.
pub(super) struct Emit<'p, 'a> {
    sources: &'p Sources<'a>,
    nodes: &'p [Node<'a>],
    plan: Plan<'p>,
    /// What was not written yet, as more of it may follow.
    pending: Option<Raw>,
    /// Nodes, and the index of the next part of each.
    open: Vec<(&'p Node<'a>, usize)>,
}

impl<'p, 'a> Emit<'p, 'a> {
    pub fn new(sources: &'p Sources<'a>, nodes: &'p [Node<'a>]) -> Self {
        Self { sources, nodes, plan: Plan::new(), pending: None, open: Vec::new() }
    }

    pub fn value(mut self, root: Child) -> Plan<'p> {
        self.child(root);
        while let Some((node, next)) = self.open.last_mut() {
            let (node, index) = (*node, *next);
            *next += 1;
            if !self.part(node, index) {
                self.open.pop();
            }
        }
        self.flush();
        self.plan
    }

    /// One part of a node, if there are so many.
    fn part(&mut self, node: &'p Node<'a>, index: usize) -> bool {
        match &node.body {
            Body::Array { elements, .. } => elements.get(index).map(|child| self.child(child)),
            Body::Texts(texts) => texts.get(index).map(|text| self.raw(text)),
            Body::Entries(entries) => entries.order.get(index).map(|number| {
                self.raw(entries.key(number));
                self.child(entries.value(number));
            }),
            Body::Packed(_) => None,
        }
        .is_some()
    }

    fn child(&mut self, child: Child) {
        match child {
            Child::Raw(raw) => self.raw(raw),
            Child::Node(number) => self.begin(&self.nodes[number as usize]),
        }
    }

    fn begin(&mut self, node: &'p Node<'a>) {
        self.raw(node.head);
        let count = node.len();
        if count == node.counted {
            self.raw(node.count);
        } else {
            self.flush();
            // A source and all changes together have fewer than the count can say; `Patch::plan` refuses what is
            // longer.
            self.plan.words([count as u32]);
        }
        if let Body::Packed(packed) = &node.body {
            self.flush();
            let (front, back) = packed.bytes.halves();
            self.plan.bytes(front);
            self.plan.bytes(back);
            self.plan.pad(packed.bytes.len());
        } else {
            self.open.push((node, 0));
        }
    }

    fn raw(&mut self, raw: Raw) {
        match &mut self.pending {
            Some(pending) if pending.source == raw.source && pending.end == raw.start => pending.end = raw.end,
            _ => {
                self.flush();
                self.pending = Some(raw);
            }
        }
    }

    fn flush(&mut self) {
        if let Some(raw) = self.pending.take() {
            let bytes = self.sources.bytes(raw);
            self.plan.bytes(bytes);
            // What the last PackedByteArray of a source may lack. All else ends at a multiple of four.
            self.plan.pad(bytes.len());
        }
    }
}
