//! Turns the tree into a plan. Adjacent bytes of a source become one piece.

use super::node::{Body, Child, TreeNode};
use super::source::{Raw, Sources};
use crate::kind::WORD;
use crate::plan::{Borrowed, Plan};

/// Walks a tree. Nodes that are not fully written are on a stack: nothing is recursive.
pub(super) struct Emit<'p, 'a> {
    sources: &'p Sources<'a>,
    nodes: &'p [TreeNode<'a>],
    plan: Plan<'p>,
    /// Bytes that are not written yet, as adjacent ones may follow.
    pending: Option<Raw>,
    /// The open nodes, and the index of the next part of each.
    open: Vec<(&'p TreeNode<'a>, usize)>,
}

impl<'p, 'a> Emit<'p, 'a> {
    pub fn new(sources: &'p Sources<'a>, nodes: &'p [TreeNode<'a>]) -> Self {
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

    /// Writes a part of a node. Returns false if it has no such part.
    fn part(&mut self, node: &'p TreeNode<'a>, index: usize) -> bool {
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

    fn begin(&mut self, node: &'p TreeNode<'a>) {
        let count = node.len();
        if count == node.counted {
            self.raw(node.head);
        } else {
            self.raw(node.head.within(0..node.head.len() - WORD));
            self.flush();
            // Sources and changes together may have more parts than fit in a count, but then `Patch::plan` refuses the
            // result.
            self.plan.words([count as u32]);
        }
        if let Body::Packed(packed) = &node.body {
            self.flush();
            let (front, back) = packed.bytes.halves();
            self.plan.bytes(front, Borrowed);
            self.plan.bytes(back, Borrowed);
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
            self.plan.bytes(bytes, Borrowed);
            // The last PackedByteArray of a source may lack its padding. Everything else ends at a multiple of four.
            self.plan.pad(bytes.len());
        }
    }
}
